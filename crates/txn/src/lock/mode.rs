//! Lock modes: which stand beside each other, and what two of one owner make together.
//!
//! A mode is a set of components; two modes are compatible when no component of the one conflicts with a component of
//! the other. This gives SQL Server's matrix, the composed modes (SIX, RangeS-U …) and the conversion modes (RangeI-S,
//! RangeX-S …) included. A mode is at least as strong as another when it conflicts with everything that the other
//! conflicts with; the join of two modes is the mode of the components of both, or else the weakest mode that is as
//! strong as both. All tables are made at compile
//! time.

use millpond_storage::wait::WaitType;

const S: u16 = 1;
const U: u16 = 1 << 1;
const X: u16 = 1 << 2;
const IS: u16 = 1 << 3;
const IU: u16 = 1 << 4;
const IX: u16 = 1 << 5;
const BU: u16 = 1 << 6;
const SCH_S: u16 = 1 << 7;
const SCH_M: u16 = 1 << 8;
const RANGE_S: u16 = 1 << 9;
const RANGE_I: u16 = 1 << 10;
const RANGE_X: u16 = 1 << 11;

/// What each component conflicts with, in order of the bits above.
const CONFLICTS: [u16; 12] = [
    X | IX | BU | SCH_M,
    U | X | IU | IX | BU | SCH_M,
    S | U | X | IS | IU | IX | BU | SCH_M,
    X | BU | SCH_M,
    U | X | BU | SCH_M,
    S | U | X | BU | SCH_M,
    S | U | X | IS | IU | IX | SCH_M,
    SCH_M,
    S | U | X | IS | IU | IX | BU | SCH_S | SCH_M,
    RANGE_I | RANGE_X,
    RANGE_S | RANGE_X,
    RANGE_S | RANGE_I | RANGE_X,
];

macro_rules! modes {
    ($($(#[$doc:meta])* $name:ident = $parts:expr, $text:literal, $wait:ident;)+) => {
        /// A lock mode; the order is the one in which SQL Server numbers them (from 1).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum LockMode { $($(#[$doc])* $name),+ }

        const PARTS: [u16; COUNT] = [$($parts),+];

        impl LockMode {
            /// All modes.
            pub const ALL: [LockMode; COUNT] = [$(LockMode::$name),+];

            /// As `sys.dm_tran_locks.request_mode` shows it.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(LockMode::$name => $text),+ }
            }

            /// What a wait for the mode is charged as.
            #[must_use]
            pub fn wait_type(self) -> WaitType {
                match self { $(LockMode::$name => WaitType::$wait),+ }
            }
        }
    };
}

const COUNT: usize = 21;

modes! {
    /// Schema stability: the object may not change its definition.
    SchS = SCH_S, "Sch-S", LCK_M_SCH_S;
    /// Schema modification.
    SchM = SCH_M, "Sch-M", LCK_M_SCH_M;
    /// Shared.
    S = S, "S", LCK_M_S;
    /// Update: read now, perhaps changed later.
    U = U, "U", LCK_M_U;
    /// Exclusive.
    X = X, "X", LCK_M_X;
    /// Shared locks below.
    IS = IS, "IS", LCK_M_IS;
    /// Update locks below.
    IU = IU, "IU", LCK_M_IU;
    /// Exclusive locks below.
    IX = IX, "IX", LCK_M_IX;
    /// S and IU.
    SIU = S | IU, "SIU", LCK_M_SIU;
    /// S and IX.
    SIX = S | IX, "SIX", LCK_M_SIX;
    /// U and IX.
    UIX = U | IX, "UIX", LCK_M_UIX;
    /// Bulk update.
    BU = BU, "BU", LCK_M_BU;
    /// The range before the key and the key, shared.
    RangeSS = RANGE_S | S, "RangeS-S", LCK_M_RS_S;
    /// The range shared, the key for update.
    RangeSU = RANGE_S | U, "RangeS-U", LCK_M_RS_U;
    /// An insert into the range.
    RangeIN = RANGE_I, "RangeI-N", LCK_M_RIn_NL;
    /// RangeI-N and S.
    RangeIS = RANGE_I | S, "RangeI-S", LCK_M_RIn_S;
    /// RangeI-N and U.
    RangeIU = RANGE_I | U, "RangeI-U", LCK_M_RIn_U;
    /// RangeI-N and X.
    RangeIX = RANGE_I | X, "RangeI-X", LCK_M_RIn_X;
    /// RangeI-N and RangeS-S.
    RangeXS = RANGE_X | S, "RangeX-S", LCK_M_RX_S;
    /// RangeI-N and RangeS-U.
    RangeXU = RANGE_X | U, "RangeX-U", LCK_M_RX_U;
    /// The range and the key, exclusive.
    RangeXX = RANGE_X | X, "RangeX-X", LCK_M_RX_X;
}

const fn parts_conflict(one: u16, other: u16) -> bool {
    let mut bit = 0;
    while bit < CONFLICTS.len() {
        if one & (1 << bit) != 0 && CONFLICTS[bit] & other != 0 {
            return true;
        }
        bit += 1;
    }
    false
}

/// Per mode, the modes that it conflicts with, one bit each.
const CONFLICT_SETS: [u32; COUNT] = {
    let mut sets = [0; COUNT];
    let mut one = 0;
    while one < COUNT {
        let mut other = 0;
        while other < COUNT {
            if parts_conflict(PARTS[one], PARTS[other]) {
                sets[one] |= 1 << other;
            }
            other += 1;
        }
        one += 1;
    }
    sets
};

const fn weakest_above(set: u32) -> u8 {
    let mut best = usize::MAX;
    let mut mode = 0;
    while mode < COUNT {
        let is_above = CONFLICT_SETS[mode] & set == set;
        if is_above && (best == usize::MAX || CONFLICT_SETS[mode].count_ones() < CONFLICT_SETS[best].count_ones()) {
            best = mode;
        }
        mode += 1;
    }
    // Pairs that never meet on one resource (a range and a schema change).
    if best == usize::MAX { LockMode::SchM as u8 } else { best as u8 }
}

/// The mode of exactly these components, or `COUNT`.
const fn mode_of_parts(parts: u16) -> usize {
    let mut mode = 0;
    while mode < COUNT && PARTS[mode] != parts {
        mode += 1;
    }
    mode
}

const JOINS: [[u8; COUNT]; COUNT] = {
    let mut joins = [[0; COUNT]; COUNT];
    let mut one = 0;
    while one < COUNT {
        let mut other = 0;
        while other < COUNT {
            let (a, b) = (CONFLICT_SETS[one], CONFLICT_SETS[other]);
            let both = mode_of_parts(PARTS[one] | PARTS[other]);
            joins[one][other] = if both < COUNT {
                both as u8
            } else if a & b == b {
                one as u8
            } else if a & b == a {
                other as u8
            } else {
                weakest_above(a | b)
            };
            other += 1;
        }
        one += 1;
    }
    joins
};

impl LockMode {
    /// Whether two owners may have these modes on one resource at the same time.
    #[must_use]
    #[inline]
    pub fn is_compatible(self, other: LockMode) -> bool {
        CONFLICT_SETS[self as usize] & (1 << other as u8) == 0
    }

    /// What an owner has that had this mode and gets `other`.
    #[must_use]
    #[inline]
    pub fn join(self, other: LockMode) -> LockMode {
        LockMode::ALL[usize::from(JOINS[self as usize][other as usize])]
    }

    /// Whether an owner of this mode need not ask for `other`.
    #[must_use]
    #[inline]
    pub fn covers(self, other: LockMode) -> bool {
        self.join(other) == self
    }

    /// Whether it locks the range before a key against inserts.
    #[must_use]
    #[inline]
    pub(crate) fn is_range(self) -> bool {
        PARTS[self as usize] & (RANGE_S | RANGE_X) != 0
    }

    /// What is locked of the key itself.
    #[must_use]
    pub(crate) fn row_part(self) -> LockMode {
        match self {
            LockMode::RangeSS | LockMode::RangeIS | LockMode::RangeXS => LockMode::S,
            LockMode::RangeSU | LockMode::RangeIU | LockMode::RangeXU => LockMode::U,
            LockMode::RangeIX | LockMode::RangeXX => LockMode::X,
            other => other,
        }
    }

    /// How the key after a gap is locked when only the gap is meant.
    #[must_use]
    pub(crate) fn range_part(self) -> LockMode {
        match self {
            LockMode::RangeXX => LockMode::RangeSU,
            other => other,
        }
    }

    /// The intent lock that an object needs above a row lock of this mode.
    #[must_use]
    pub(crate) fn intent(self) -> LockMode {
        match self {
            LockMode::S | LockMode::RangeSS | LockMode::IS | LockMode::SchS => LockMode::IS,
            LockMode::U | LockMode::RangeSU => LockMode::IU,
            _ => LockMode::IX,
        }
    }

    /// The object lock that stands for row locks of this mode.
    #[must_use]
    pub(crate) fn whole(self) -> LockMode {
        match self {
            LockMode::S | LockMode::RangeSS => LockMode::S,
            LockMode::U | LockMode::RangeSU => LockMode::U,
            _ => LockMode::X,
        }
    }
}

impl std::fmt::Display for LockMode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::LockMode::{self, *};

    fn row(mode: LockMode, others: &[LockMode]) -> String {
        others.iter().map(|&other| if mode.is_compatible(other) { 'y' } else { '-' }).collect()
    }

    /// The documented matrix for objects.
    #[test]
    fn objects_have_the_documented_matrix() {
        let modes = [SchS, SchM, S, U, X, IS, IU, IX, SIU, SIX, UIX, BU];
        let rows: Vec<_> = modes.iter().map(|&mode| row(mode, &modes)).collect();
        let expected = [
            "y-yyyyyyyyyy", // Sch-S
            "------------", // Sch-M
            "y-yy-yy-y---", // S
            "y-y--y------", // U
            "y-----------", // X
            "y-yy-yyyyyy-", // IS
            "y-y--yyyyy--", // IU
        ];
        assert_eq!(rows[..7], expected);
        assert_eq!(row(IX, &modes), "y----yyy----");
        assert_eq!(row(SIU, &modes), "y-y--yy-y---");
        assert_eq!(row(SIX, &modes), "y----yy-----");
        assert_eq!(row(UIX, &modes), "y----y------");
        assert_eq!(row(BU, &modes), "y----------y");
    }

    /// The documented matrix for key ranges.
    #[test]
    fn key_ranges_have_the_documented_matrix() {
        let modes = [S, U, X, RangeSS, RangeSU, RangeIN, RangeXX];
        let rows: Vec<_> = modes.iter().map(|&mode| row(mode, &modes)).collect();
        assert_eq!(rows, ["yy-yyy-", "y--y-y-", "-----y-", "yy-yy--", "y--y---", "yyy--y-", "-------"]);
    }

    #[test]
    fn joins_are_the_documented_conversions() {
        let joins = [
            (S, IX, SIX),
            (S, IU, SIU),
            (U, IX, UIX),
            (IS, IX, IX),
            (S, U, U),
            (U, X, X),
            (SIX, U, UIX),
            (SchS, S, S),
            (RangeIN, S, RangeIS),
            (RangeIN, U, RangeIU),
            (RangeIN, X, RangeIX),
            (RangeIN, RangeSS, RangeXS),
            (RangeIN, RangeSU, RangeXU),
            (RangeSS, X, RangeXX),
            (RangeSS, U, RangeSU),
        ];
        for (one, other, join) in joins {
            assert_eq!((one.join(other), other.join(one)), (join, join), "{one} {other}");
        }
    }

    #[test]
    fn the_matrix_is_symmetric_and_a_join_is_above_both() {
        for one in LockMode::ALL {
            for other in LockMode::ALL {
                assert_eq!(one.is_compatible(other), other.is_compatible(one));
                let join = one.join(other);
                // Bulk, schema and range modes do not meet on one resource.
                for third in LockMode::ALL.into_iter().filter(|m| join != SchM && !m.is_compatible(one)) {
                    assert!(!join.is_compatible(third), "{one} {other} {join} {third}");
                }
                assert!(one.covers(one));
            }
        }
    }
}
