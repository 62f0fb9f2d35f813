//! ISNUMERIC, checksums, digests, identifiers.

use super::context::context;
use super::{check, check_errors, run};

#[test]
fn numeric_texts() {
    check(
        &context(),
        &[
            ("ISNUMERIC('123')", "int", "1"),
            ("ISNUMERIC(bit'1')", "int", "1"),
            ("ISNUMERIC(' -1.5 ')", "int", "1"),
            ("ISNUMERIC('1e5')", "int", "1"),
            ("ISNUMERIC('1d-5')", "int", "1"),
            ("ISNUMERIC('$1,000.50')", "int", "1"),
            ("ISNUMERIC('-')", "int", "1"),
            ("ISNUMERIC('.')", "int", "1"),
            ("ISNUMERIC('')", "int", "0"),
            ("ISNUMERIC('abc')", "int", "0"),
            ("ISNUMERIC('1e')", "int", "0"),
            ("ISNUMERIC('1.2.3')", "int", "0"),
            ("ISNUMERIC('--1')", "int", "0"),
            ("ISNUMERIC('12a')", "int", "0"),
            ("ISNUMERIC(5)", "int", "1"),
            ("ISNUMERIC(1.5)", "int", "1"),
            ("ISNUMERIC(date'2024-01-01')", "int", "0"),
            ("ISNUMERIC(NULL)", "int", "0"),
        ],
    );
}

#[test]
fn checksums() {
    check(
        &context(),
        &[
            ("CHECKSUM(5)", "int", "5"),
            ("CHECKSUM(-5)", "int", "-5"),
            ("CHECKSUM(bigint'5')", "int", "5"),
            ("BINARY_CHECKSUM('A')", "int", "65"),
            ("CHECKSUM(NULL)", "int", "2147483647"),
        ],
    );
    let of = |call: &str| run(&context(), call).expect("a checksum");
    assert_eq!(of("CHECKSUM('Hello ')"), of("CHECKSUM('HELLO')"));
    assert_ne!(of("BINARY_CHECKSUM('Hello')"), of("BINARY_CHECKSUM('HELLO')"));
    assert_ne!(of("CHECKSUM(1, 2)"), of("CHECKSUM(2, 1)"));
}

#[test]
fn digests() {
    check(
        &context(),
        &[
            ("HASHBYTES('MD2', 'abc')", "varbinary(8000)", "DA853B0D3F88D99B30283A69E6DED6BB"),
            ("HASHBYTES('MD4', 'abc')", "varbinary(8000)", "A448017AAF21D8525FC10AE87AA6729D"),
            ("HASHBYTES('MD5', 'abc')", "varbinary(8000)", "900150983CD24FB0D6963F7D28E17F72"),
            ("HASHBYTES('sha1', 0x'616263')", "varbinary(8000)", "A9993E364706816ABA3E25717850C26C9CD0D89D"),
            // UTF-16: MD5 of 61 00 62 00 63 00.
            ("HASHBYTES('MD5', N'abc')", "varbinary(8000)", "CE1473CF80C6B3FDA8E3DFC006ADC315"),
            (
                "HASHBYTES('SHA2_256', '')",
                "varbinary(8000)",
                "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855",
            ),
            ("HASHBYTES('none', 'abc')", "varbinary(8000)", "NULL"),
            ("HASHBYTES('MD5', varchar(5)'NULL')", "varbinary(8000)", "NULL"),
        ],
    );
    check_errors(&context(), &[("HASHBYTES('MD5', 5)", 8116)]);
}

#[test]
fn identifiers_are_new_and_of_version_4() {
    let ctx = context();
    let def = millpond_builtin::find("newid").expect("known");
    let draw = || match (def.eval)(&ctx, &[], &[], &millpond_types::SqlType::UniqueIdentifier) {
        Ok(millpond_types::Value::Guid(bytes)) => bytes,
        other => panic!("{other:?}"),
    };
    let (first, second) = (draw(), draw());
    assert_ne!(first, second);
    for bytes in [first, second] {
        assert_eq!(bytes[7] >> 4, 4, "version");
        assert_eq!(bytes[8] >> 6, 2, "variant");
    }
}
