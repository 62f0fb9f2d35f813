//! Failed logins by account, and the policy that locks accounts and lets passwords expire.
//!
//! What always holds: only logins with CHECK_POLICY are counted and locked, only those with CHECK_EXPIRATION expire. What failed is
//! known to the process alone: a start forgets it. The policy is the server's configuration; without one nothing is locked, as on
//! a machine that has no policy of its own.

use std::collections::HashMap;

use millpond_catalog::security::{PrincipalId, ServerPrincipal};
use parking_lot::{Mutex, RwLock};

const MINUTE_US: i64 = 60_000_000;
const DAY_US: i64 = 24 * 60 * MINUTE_US;

/// What the operating system's policy is on Windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PasswordPolicy {
    /// So many days after it was set a password expires; 0: never.
    pub max_age_days: u32,
    /// So many wrong passwords lock an account; 0: none do.
    pub lockout_attempts: u32,
    /// So long an account is locked; 0: until ALTER LOGIN … UNLOCK.
    pub lockout_minutes: u32,
    /// So long after the last wrong password those before it are forgotten.
    pub reset_minutes: u32,
}

impl Default for PasswordPolicy {
    /// Windows' without a domain: 42 days, and no lockouts.
    fn default() -> Self {
        PasswordPolicy { max_age_days: 42, lockout_attempts: 0, lockout_minutes: 30, reset_minutes: 30 }
    }
}

/// What is known of an account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    /// Wrong passwords one after the other.
    pub count: i32,
    /// When the last one was, local time, microseconds since 1970; 0: never.
    pub last_us: i64,
    /// When the account was locked, likewise.
    pub locked_us: i64,
}

/// All accounts.
#[derive(Debug, Default)]
pub struct Logins {
    policy: RwLock<PasswordPolicy>,
    failed: Mutex<HashMap<PrincipalId, Failures>>,
}

impl Logins {
    /// Another policy holds from here on.
    pub fn set_policy(&self, policy: PasswordPolicy) {
        *self.policy.write() = policy;
    }

    /// What is known of a login; its lock is gone when its time is over.
    #[must_use]
    pub fn failures(&self, login: &ServerPrincipal, now_us: i64) -> Failures {
        if !login.checks_policy {
            return Failures::default();
        }
        let policy = *self.policy.read();
        let mut known = self.failed.lock().get(&login.id).copied().unwrap_or_default();
        let lasts_us = i64::from(policy.lockout_minutes) * MINUTE_US;
        if known.locked_us != 0 && lasts_us != 0 && now_us - known.locked_us >= lasts_us {
            known = Failures { count: 0, locked_us: 0, ..known };
        }
        known
    }

    /// Whether it may not log in now, whatever its password.
    #[must_use]
    pub fn is_locked(&self, login: &ServerPrincipal, now_us: i64) -> bool {
        self.failures(login, now_us).locked_us != 0
    }

    /// Its password was wrong.
    pub fn fail(&self, login: &ServerPrincipal, now_us: i64) {
        if !login.checks_policy {
            return;
        }
        let policy = *self.policy.read();
        let before = self.failures(login, now_us);
        let is_new = now_us - before.last_us >= i64::from(policy.reset_minutes) * MINUTE_US;
        let count = if is_new { 1 } else { before.count.saturating_add(1) };
        let locks = policy.lockout_attempts != 0 && i64::from(count) >= i64::from(policy.lockout_attempts);
        let locked_us = if locks && before.locked_us == 0 { now_us } else { before.locked_us };
        self.failed.lock().insert(login.id, Failures { count, last_us: now_us, locked_us });
    }

    /// Its password was right.
    pub fn succeed(&self, login: PrincipalId) {
        if let Some(known) = self.failed.lock().get_mut(&login) {
            *known = Failures { count: 0, locked_us: 0, ..*known };
        }
    }

    /// UNLOCK, CHECK_POLICY = OFF, DROP LOGIN: nothing is known of it any more.
    pub fn forget(&self, login: PrincipalId) {
        self.failed.lock().remove(&login);
    }

    /// In how many days its password expires, 0 when it has; none of one that never does.
    #[must_use]
    pub fn days_left(&self, login: &ServerPrincipal, now_us: i64) -> Option<i32> {
        let days = i64::from(self.policy.read().max_age_days);
        if !login.checks_policy || !login.checks_expiration || days == 0 {
            return None;
        }
        let left_us = login.password_set_us.saturating_add(days * DAY_US) - now_us;
        i32::try_from(left_us.max(0).div_euclid(DAY_US) + i64::from(left_us.max(0) % DAY_US > 0)).ok()
    }
}

#[cfg(test)]
mod tests {
    use millpond_catalog::security::ServerSecurity;

    use super::*;

    const ID: PrincipalId = PrincipalId(300);
    const START_US: i64 = 1_000 * DAY_US;

    fn login(checks: bool) -> ServerPrincipal {
        let server = ServerSecurity::new();
        let sa = server.principal(PrincipalId::SA).expect("every server has sa");
        ServerPrincipal {
            id: ID,
            checks_policy: checks,
            checks_expiration: checks,
            password_set_us: START_US,
            ..(**sa).clone()
        }
    }

    fn logins(policy: PasswordPolicy) -> Logins {
        let logins = Logins::default();
        logins.set_policy(policy);
        logins
    }

    #[test]
    fn wrong_passwords_lock_an_account_for_a_while() {
        let logins = logins(PasswordPolicy { lockout_attempts: 3, ..PasswordPolicy::default() });
        let ann = login(true);
        for second in 0..2 {
            logins.fail(&ann, START_US + second * 1_000_000);
        }
        assert!(!logins.is_locked(&ann, START_US));
        logins.succeed(ID);
        assert_eq!(logins.failures(&ann, START_US).count, 0);
        for second in 0..3 {
            logins.fail(&ann, START_US + second * 1_000_000);
        }
        let locked_us = START_US + 2_000_000;
        assert_eq!(logins.failures(&ann, locked_us), Failures { count: 3, last_us: locked_us, locked_us });
        // A fourth one does not make it longer.
        logins.fail(&ann, locked_us + 1);
        assert!(logins.is_locked(&ann, locked_us + 30 * MINUTE_US - 1));
        assert!(!logins.is_locked(&ann, locked_us + 30 * MINUTE_US));
        logins.forget(ID);
        assert_eq!(logins.failures(&ann, locked_us), Failures::default());
    }

    #[test]
    fn attempts_far_apart_and_logins_without_a_policy_are_not_locked() {
        let logins = logins(PasswordPolicy { lockout_attempts: 2, lockout_minutes: 0, ..PasswordPolicy::default() });
        let (ann, free) = (login(true), login(false));
        logins.fail(&ann, START_US);
        logins.fail(&ann, START_US + 30 * MINUTE_US);
        assert_eq!(logins.failures(&ann, START_US).count, 1);
        for _ in 0..9 {
            logins.fail(&free, START_US);
        }
        assert!(!logins.is_locked(&free, START_US) && !logins.is_locked(&ann, START_US));
        logins.fail(&ann, START_US + 31 * MINUTE_US);
        // Without a time it stays locked.
        assert!(logins.is_locked(&ann, START_US + 900 * DAY_US));
    }

    #[test]
    fn passwords_expire_where_they_are_to() {
        let logins = logins(PasswordPolicy::default());
        let ann = login(true);
        assert_eq!(logins.days_left(&ann, START_US), Some(42));
        assert_eq!(logins.days_left(&ann, START_US + 41 * DAY_US + 1), Some(1));
        assert_eq!(logins.days_left(&ann, START_US + 42 * DAY_US), Some(0));
        assert_eq!(logins.days_left(&login(false), START_US), None);
        logins.set_policy(PasswordPolicy { max_age_days: 0, ..PasswordPolicy::default() });
        assert_eq!(logins.days_left(&ann, START_US + 900 * DAY_US), None);
    }
}
