//! Numbers.

use super::context::context;
use super::{check, check_errors, run};

#[test]
fn exact_functions_keep_the_family() {
    check(
        &context(),
        &[
            ("ABS(-5)", "int", "5"),
            ("ABS(smallint'-5')", "int", "5"),
            ("ABS(bigint'-5')", "bigint", "5"),
            ("ABS(-1.50)", "decimal(38,2)", "1.50"),
            ("ABS(-1.5e0)", "float", "1.5"),
            ("ABS(money'-2.5')", "money", "2.5000"),
            ("ABS(NULL)", "int", "NULL"),
            ("SIGN(-5)", "int", "-1"),
            ("SIGN(0)", "int", "0"),
            ("SIGN(0e0)", "float", "0"),
            ("SIGN(2.50)", "decimal(38,2)", "1.00"),
            ("SIGN(money'-2')", "money", "-1.0000"),
            ("FLOOR(123.45)", "decimal(5,0)", "123"),
            ("FLOOR(-123.45)", "decimal(5,0)", "-124"),
            ("FLOOR($123.45)", "money", "123.0000"),
            ("FLOOR(-1.5e0)", "float", "-2"),
            ("FLOOR(5)", "int", "5"),
            ("CEILING(123.45)", "decimal(5,0)", "124"),
            ("CEILING(-123.45)", "decimal(5,0)", "-123"),
            ("CEILING(money'-123.45')", "money", "-123.0000"),
            ("CEILING(9.9)", "decimal(2,0)", "10"),
            ("CEILING(0.00)", "decimal(3,0)", "0"),
        ],
    );
    check_errors(
        &context(),
        &[
            ("ABS(int'-2147483648')", 8115),
            ("ABS(bigint'-9223372036854775808')", 8115),
            ("ABS(datetime'2020-01-01')", 8116),
            ("ABS(0x'01')", 8116),
        ],
    );
}

#[test]
fn rounding() {
    check(
        &context(),
        &[
            ("ROUND(123.9994, 3)", "decimal(7,4)", "123.9990"),
            ("ROUND(123.9995, 3)", "decimal(7,4)", "124.0000"),
            ("ROUND(150.75, 0)", "decimal(5,2)", "151.00"),
            ("ROUND(150.75, 0, 1)", "decimal(5,2)", "150.00"),
            ("ROUND(123.4545, 2)", "decimal(7,4)", "123.4500"),
            ("ROUND(123.45, -2)", "decimal(5,2)", "100.00"),
            ("ROUND(-2.5, 0)", "decimal(2,1)", "-3.0"),
            ("ROUND(748, -1)", "int", "750"),
            ("ROUND(748, -3)", "int", "1000"),
            ("ROUND(748, -4)", "int", "0"),
            ("ROUND(748, 2)", "int", "748"),
            ("ROUND(748, -100)", "int", "0"),
            ("ROUND(tinyint'255', -1)", "int", "260"),
            ("ROUND($1.2345, 2)", "money", "1.2300"),
            ("ROUND(2.567e0, 1)", "float", "2.6"),
            ("ROUND(1234.5e0, -2)", "float", "1200"),
            ("ROUND(1.5e0, 400)", "float", "1.5"),
            ("ROUND(1.5e0, -400)", "float", "0"),
            ("ROUND(1.99e0, 1, 1)", "float", "1.9"),
            ("ROUND(NULL, 1)", "int", "NULL"),
        ],
    );
    check_errors(&context(), &[("ROUND(748.58, -3)", 8115), ("ROUND(2147483647, -1)", 8115)]);
}

#[test]
fn powers() {
    check(
        &context(),
        &[
            ("POWER(2, 10)", "int", "1024"),
            ("POWER(2, -1)", "int", "0"),
            ("POWER(-2, 3)", "int", "-8"),
            ("POWER(bigint'2', 40)", "bigint", "1099511627776"),
            ("POWER(2.0, 3)", "decimal(38,1)", "8.0"),
            ("POWER(2e0, -1)", "float", "0.5"),
            ("POWER(0, 0)", "int", "1"),
            ("SQUARE(3)", "float", "9"),
            ("SQRT(16)", "float", "4"),
            ("SQRT('16')", "float", "4"),
            ("EXP(0)", "float", "1"),
            ("LOG(1)", "float", "0"),
            ("LOG(8, 2)", "float", "3"),
            ("LOG10(1000)", "float", "3"),
            ("EXP(1)", "float", "2.71828182845905"),
        ],
    );
    check_errors(
        &context(),
        &[
            ("POWER(2, 31)", 232),
            ("POWER(bigint'2', 63)", 232),
            ("POWER(0, -1)", 8134),
            ("POWER(-1e0, 0.5)", 3623),
            ("POWER(10e0, 400)", 8115),
            ("SQRT(-1)", 3623),
            ("LOG(0)", 3623),
            ("LOG(2, 1)", 3623),
            ("LOG10(-1)", 3623),
            ("EXP(1000)", 8115),
            ("ASIN(2)", 3623),
        ],
    );
}

#[test]
fn angles() {
    check(
        &context(),
        &[
            ("PI()", "float", "3.14159265358979"),
            ("SIN(0)", "float", "0"),
            ("COS(0)", "float", "1"),
            ("TAN(0)", "float", "0"),
            ("COT(1)", "float", "0.642092615934331"),
            ("ASIN(1)", "float", "1.5707963267949"),
            ("ACOS(1)", "float", "0"),
            ("ATAN(1)", "float", "0.785398163397448"),
            ("ATN2(1, 1)", "float", "0.785398163397448"),
            ("DEGREES(3.14159265358979e0)", "float", "180"),
            ("DEGREES(1)", "int", "57"),
            ("RADIANS(180e0)", "float", "3.14159265358979"),
            ("RADIANS(45)", "int", "0"),
        ],
    );
    let (ty, value) = run(&context(), "RADIANS(45.0)").expect("a value");
    assert_eq!(ty, "decimal(38,18)");
    assert!(value.starts_with("0.78539816339744"), "{value}");
}

#[test]
fn random_numbers_follow_their_seed() {
    let ctx = context();
    check(&ctx, &[("RAND(100)", "float", "0.715436657367485"), ("RAND()", "float", "0.28463380767982")]);
    check(&ctx, &[("RAND(NULL)", "float", "NULL")]);
    let first = run(&ctx, "RAND()").expect("a number");
    assert_ne!(first, run(&ctx, "RAND()").expect("a number"));
}

#[test]
fn extremes_skip_nulls() {
    check(
        &context(),
        &[
            ("GREATEST(1, 3, 2)", "int", "3"),
            ("LEAST(1, 3, NULL)", "int", "1"),
            ("GREATEST('a', 'B')", "varchar(1)", "B"),
            ("LEAST(NULL, NULL)", "int", "NULL"),
        ],
    );
}
