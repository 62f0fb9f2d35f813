//! Which texts may have a password or another secret written in them.

/// What sets or takes a secret wherever it stands: procedures of the system and functions.
const TAKE_SECRETS: [&[u8]; 12] = [
    b"sp_addlogin",
    b"sp_password",
    b"sp_setapprole",
    b"sp_addapprole",
    b"sp_approlepassword",
    b"sp_addlinkedsrvlogin",
    b"sp_change_users_login",
    b"sp_xp_cmdshell_proxy_account",
    b"pwdencrypt",
    b"pwdcompare",
    b"encryptbypassphrase",
    b"decryptbypassphrase",
];

/// Words after which an equals sign gives a secret: `MEDIAPASSWORD = …`, `DECRYPTION BY PASSWORD = …`, `PWD=…` of a provider.
const ARE_SECRETS: [&[u8]; 3] = [b"password", b"secret", b"pwd"];

/// Whether a text, or a piece of one, sets or takes a password: by its words, whatever they mean in it.
#[must_use]
pub fn may_have_secret(text: &str) -> bool {
    let bytes = text.as_bytes();
    (0..bytes.len()).any(|at| match bytes[at] | 0x20 {
        b's' | b'p' | b'e' | b'd' => begins_secret(&bytes[at..]),
        _ => false,
    })
}

fn begins_secret(rest: &[u8]) -> bool {
    let begins = |word: &&&[u8]| rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    let is_given = |word: &&[u8]| rest[word.len()..].trim_ascii_start().first() == Some(&b'=');
    TAKE_SECRETS.iter().any(|word| begins(&word)) || ARE_SECRETS.iter().find(begins).is_some_and(is_given)
}

/// Whether a function of this name takes a secret as an argument.
pub(crate) fn takes_secret(function: &str) -> bool {
    const FUNCTIONS: [&str; 9] = [
        "pwdencrypt",
        "pwdcompare",
        "encryptbypassphrase",
        "decryptbypassphrase",
        "decryptbycert",
        "decryptbyasymkey",
        "decryptbykeyautocert",
        "signbycert",
        "signbyasymkey",
    ];
    FUNCTIONS.iter().any(|known| known.eq_ignore_ascii_case(function))
}
