//! FORMAT, against the outputs that .NET documents for US English and those of other cultures that the manual shows, else CLDR's.

use super::context::context;
use super::{check, check_errors};

const TEXT: &str = "nvarchar(4000)";

#[test]
fn standard_numbers() {
    check(
        &context(),
        &[
            ("FORMAT(1234567.891, 'N')", TEXT, "1,234,567.89"),
            ("FORMAT(-1234, 'N0')", TEXT, "-1,234"),
            ("FORMAT(0.5, 'N')", TEXT, "0.50"),
            ("FORMAT(1234.5, 'C')", TEXT, "$1,234.50"),
            ("FORMAT(-1234.5, 'c', 'en-US')", TEXT, "($1,234.50)"),
            ("FORMAT(0.1234, 'P')", TEXT, "12.34%"),
            ("FORMAT(0.1234, 'P0')", TEXT, "12%"),
            ("FORMAT(0.1234, 'P', '')", TEXT, "12.34 %"),
            ("FORMAT(1234.567, 'F1')", TEXT, "1234.6"),
            ("FORMAT(-0.001, 'F2')", TEXT, "0.00"),
            ("FORMAT(42, 'D5')", TEXT, "00042"),
            ("FORMAT(-42, 'D')", TEXT, "-42"),
            ("FORMAT(4.2, 'D')", TEXT, "NULL"),
            ("FORMAT(255, 'X')", TEXT, "FF"),
            ("FORMAT(255, 'x4')", TEXT, "00ff"),
            ("FORMAT(-1, 'X')", TEXT, "FFFFFFFF"),
            ("FORMAT(1234.56, 'E2')", TEXT, "1.23E+003"),
            ("FORMAT(12345.6789e0, 'E')", TEXT, "1.234568E+004"),
            ("FORMAT(9.99, 'e1')", TEXT, "1.0e+001"),
            ("FORMAT(float'0.1', 'G')", TEXT, "0.1"),
            ("FORMAT(float'0.1', 'G15')", TEXT, "0.1"),
            ("FORMAT(float'0.1', 'G17')", TEXT, "0.10000000000000001"),
            ("FORMAT(float'0.1', 'E16')", TEXT, "1.0000000000000001E-001"),
            ("FORMAT(float'0.1', 'R')", TEXT, "0.1"),
            ("FORMAT(float'0.3333333333333333', 'R')", TEXT, "0.33333333333333331"),
            ("FORMAT(float'1e300', 'R')", TEXT, "1E+300"),
            ("FORMAT(real'0.1', 'G')", TEXT, "0.1"),
            ("FORMAT(real'0.1', 'G9')", TEXT, "0.100000001"),
            ("FORMAT(real'0.1', 'r')", TEXT, "0.1"),
            ("FORMAT(real'16777216', 'R')", TEXT, "16777216"),
            ("FORMAT(42, 'R')", TEXT, "NULL"),
            ("FORMAT(0, 'E1')", TEXT, "0.0E+000"),
            ("FORMAT(1.50, 'G')", TEXT, "1.50"),
            ("FORMAT(1.5e0, 'G')", TEXT, "1.5"),
            ("FORMAT(1e16, 'G')", TEXT, "1E+16"),
            ("FORMAT(0.00001e0, 'G')", TEXT, "1E-05"),
            ("FORMAT(12345, 'G2')", TEXT, "1.2E+04"),
            ("FORMAT(5, 'Q')", TEXT, "NULL"),
            ("FORMAT(int'NULL', 'N')", TEXT, "NULL"),
        ],
    );
}

#[test]
fn custom_numbers() {
    check(
        &context(),
        &[
            ("FORMAT(123456789, '###-##-####')", TEXT, "123-45-6789"),
            ("FORMAT(1234567, '#,##0')", TEXT, "1,234,567"),
            ("FORMAT(1234.5, '#,##0.00')", TEXT, "1,234.50"),
            ("FORMAT(-1234.5, '#,##0.00')", TEXT, "-1,234.50"),
            ("FORMAT(5, '000')", TEXT, "005"),
            ("FORMAT(0, '#')", TEXT, ""),
            ("FORMAT(0, '#,##0')", TEXT, "0"),
            ("FORMAT(1.5, '0.##')", TEXT, "1.5"),
            ("FORMAT(2, '0.##')", TEXT, "2"),
            ("FORMAT(12.345, '0.0#')", TEXT, "12.35"),
            ("FORMAT(0.086, '#0.##%')", TEXT, "8.6%"),
            ("FORMAT(1234567890, '#,##0,,')", TEXT, "1,235"),
            ("FORMAT(-5, '0;(0);zero')", TEXT, "(5)"),
            ("FORMAT(0, '0;(0);zero')", TEXT, "zero"),
            ("FORMAT(5, '0 \"apples\"')", TEXT, "5 apples"),
            ("FORMAT(5, '\\#0')", TEXT, "#5"),
            ("FORMAT(12.5, '.00')", TEXT, "12.50"),
            ("FORMAT(15551234567, '#-###-###-####')", TEXT, "1-555-123-4567"),
        ],
    );
}

#[test]
fn dates() {
    check(
        &context(),
        &[
            ("FORMAT(datetime'2024-07-05 14:03:09.127', 'd')", TEXT, "7/5/2024"),
            ("FORMAT(datetime'2024-07-05 14:03:09.127', 'D', 'en-US')", TEXT, "Friday, July 5, 2024"),
            ("FORMAT(datetime'2024-07-05 14:03:09.127', 'g')", TEXT, "7/5/2024 2:03 PM"),
            ("FORMAT(datetime'2024-07-05 14:03:09.127', 'G')", TEXT, "7/5/2024 2:03:09 PM"),
            ("FORMAT(datetime'2024-07-05 14:03:09.127', 's')", TEXT, "2024-07-05T14:03:09"),
            ("FORMAT(datetime'2024-07-05 14:03:09.127', 'u')", TEXT, "2024-07-05 14:03:09Z"),
            ("FORMAT(datetime'2024-07-05 14:03:09.127', 'R')", TEXT, "Fri, 05 Jul 2024 14:03:09 GMT"),
            ("FORMAT(datetime'2024-07-05 14:03:09.127', 'yyyy-MM-dd HH:mm:ss.fff')", TEXT, "2024-07-05 14:03:09.127"),
            ("FORMAT(date'2024-07-05', 'dddd dd MMMM yy')", TEXT, "Friday 05 July 24"),
            ("FORMAT(date'2024-07-05', 'ddd d MMM')", TEXT, "Fri 5 Jul"),
            ("FORMAT(datetime'2024-07-05 00:30', 'h:mm tt')", TEXT, "12:30 AM"),
            ("FORMAT(datetime2(7)'2024-07-05 00:00:01.5', 'ss.FFF')", TEXT, "01.5"),
            ("FORMAT(datetime2(7)'2024-07-05 00:00:01', 'ss.FFF')", TEXT, "01"),
            ("FORMAT(date'2024-07-05', 'yyyy\"y\"\\d')", TEXT, "2024yd"),
            ("FORMAT(date'2024-07-05', '%d')", TEXT, "5"),
            ("FORMAT(date'2024-07-05', 'q')", TEXT, "NULL"),
            ("FORMAT(time(0)'14:03:09', 'hh\\:mm')", TEXT, "14:03"),
            ("FORMAT(time(0)'14:03:09', 'hh:mm')", TEXT, "NULL"),
            ("FORMAT(time(0)'14:03:09', 'c')", TEXT, "14:03:09"),
        ],
    );
}

#[test]
fn exponents_of_custom_numbers() {
    check(
        &context(),
        &[
            ("FORMAT(86000, '0.###E+0')", TEXT, "8.6E+4"),
            ("FORMAT(86000, '0.###E+000')", TEXT, "8.6E+004"),
            ("FORMAT(86000, '0.###E-000')", TEXT, "8.6E004"),
            ("FORMAT(0.00012, '0.0e+00')", TEXT, "1.2e-04"),
            ("FORMAT(1503.92311, '0.0##e+00')", TEXT, "1.504e+03"),
            ("FORMAT(1503.92311, '00.0E0')", TEXT, "15.0E2"),
            ("FORMAT(0, '0.0E+0')", TEXT, "0.0E+0"),
            ("FORMAT(5, '0 Eggs')", TEXT, "5 Eggs"),
        ],
    );
}

#[test]
fn numbers_of_cultures() {
    check(
        &context(),
        &[
            ("FORMAT(1234567.891, 'N', 'de-DE')", TEXT, "1.234.567,89"),
            ("FORMAT(-1234.5, 'N1', 'de-de')", TEXT, "-1.234,5"),
            ("FORMAT(1234567.891, 'N', 'fr-FR')", TEXT, "1\u{202f}234\u{202f}567,89"),
            ("FORMAT(1234567.891, 'N', 'de-CH')", TEXT, "1'234'567.89"),
            ("FORMAT(1234567.891, 'N', 'hi-IN')", TEXT, "12,34,567.89"),
            ("FORMAT(1234.5, 'C', 'de-DE')", TEXT, "1.234,50 €"),
            ("FORMAT(-1234.5, 'C', 'de-DE')", TEXT, "-1.234,50 €"),
            ("FORMAT(1234.5, 'C', 'en-GB')", TEXT, "£1,234.50"),
            ("FORMAT(-1234.5, 'C', 'en-GB')", TEXT, "-£1,234.50"),
            ("FORMAT(1234.5, 'C', 'ja-JP')", TEXT, "¥1,235"),
            ("FORMAT(1234.5, 'C2', 'ja-JP')", TEXT, "¥1,234.50"),
            ("FORMAT(1234.5, 'C', 'pt-BR')", TEXT, "R$ 1.234,50"),
            ("FORMAT(1234.5, 'C', 'nl-NL')", TEXT, "€ 1.234,50"),
            ("FORMAT(-1234.5, 'C', 'nl-NL')", TEXT, "€ -1.234,50"),
            ("FORMAT(0.1234, 'P', 'de-DE')", TEXT, "12,34 %"),
            ("FORMAT(1.5, 'G', 'de-DE')", TEXT, "1,5"),
            ("FORMAT(1234.56, 'E2', 'de-DE')", TEXT, "1,23E+003"),
            ("FORMAT(1234567.5, '#,##0.00', 'de-DE')", TEXT, "1.234.567,50"),
            ("FORMAT(1234.567, 'F1', 'sv-SE')", TEXT, "1234,6"),
        ],
    );
}

#[test]
fn dates_of_cultures() {
    let at = |format: &str, culture: &str| format!("FORMAT(datetime'2020-11-22 14:03:09', '{format}', '{culture}')");
    for (format, culture, expected) in [
        ("d", "en-US", "11/22/2020"),
        ("d", "en-gb", "22/11/2020"),
        ("d", "de-de", "22.11.2020"),
        ("d", "zh-cn", "2020/11/22"),
        ("D", "en-US", "Sunday, November 22, 2020"),
        ("D", "en-gb", "22 November 2020"),
        ("D", "de-de", "Sonntag, 22. November 2020"),
        ("D", "zh-cn", "2020年11月22日"),
        ("D", "fr-FR", "dimanche 22 novembre 2020"),
        ("D", "es-ES", "domingo, 22 de noviembre de 2020"),
        ("D", "it-IT", "domenica 22 novembre 2020"),
        ("D", "ja-JP", "2020年11月22日日曜日"),
        ("D", "pt-BR", "domingo, 22 de novembro de 2020"),
        ("D", "ru-RU", "22 ноября 2020 г."),
        ("Y", "ru-RU", "ноябрь 2020 г."),
        ("MMMM", "ru-RU", "ноябрь"),
        ("d MMMM", "pl-PL", "22 listopada"),
        ("t", "de-DE", "14:03"),
        ("T", "en-US", "2:03:09 PM"),
        ("g", "en-GB", "22/11/2020 14:03"),
        ("G", "de-DE", "22.11.2020 14:03:09"),
        ("f", "de-DE", "Sonntag, 22. November 2020 14:03"),
        ("d", "th-TH", "22/11/2563"),
        ("dd/MM/yyyy", "de-DE", "22.11.2020"),
        ("HH:mm", "fi-FI", "14.03"),
        ("ddd dddd MMM", "fr-FR", "dim. dimanche nov."),
        ("R", "de-DE", "Sun, 22 Nov 2020 14:03:09 GMT"),
        ("s", "ar-SA", "2020-11-22T14:03:09"),
        ("d", "", "11/22/2020"),
        ("D", "", "Sunday, 22 November 2020"),
    ] {
        check(&context(), &[(at(format, culture).leak(), TEXT, expected)]);
    }
}

#[test]
fn refusals() {
    check_errors(
        &context(),
        &[
            ("FORMAT('abc', 'N')", 8116),
            ("FORMAT(bit'1', 'N')", 8116),
            ("FORMAT(NULL, 'N')", 8116),
            ("FORMAT(5, 'N', 'klingon')", 9818),
            ("FORMAT(date'2024-07-05', 'd', 'fa-IR')", 40517),
            ("FORMAT(date'2024-07-05', 'yyyy g', 'de-DE')", 40517),
            ("FORMAT(date'2024-07-05', 'yyyy zzz')", 40517),
        ],
    );
}
