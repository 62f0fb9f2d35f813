//! What is known of an error by its number alone: its severity, what it ends, and whether it is an error of binding.
//!
//! ```text
//!   Statement < Scope < Batch < Transaction < Connection        each ends what stands before it too
//! ```
//! What always holds:
//! - K1: `ROWS` is sorted and has each number once. A number that is not there ends its statement alone.
//! - K2: an error that is made with a number in the source has a row here with the same severity; a test reads the
//!   source for it. RAISERROR and THROW give severities of their own, and from 20 on the severity decides (see [`ends`]).
//! - K3: an error of binding is one that SQL Server finds when it compiles: a module that has it is not made, and no TRY
//!   of the level where it is found sees it.

use crate::error::SqlError;

/// What an error ends, when no TRY waits for it and XACT_ABORT is off. Each ends what the ones before it end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ends {
    /// The statement alone.
    Statement,
    /// The procedure or text: a statement of it cannot be bound.
    Scope,
    /// The whole batch.
    Batch,
    /// The batch, and the transaction is rolled back. A TRY that catches it finds the transaction doomed.
    Transaction,
    /// The transaction, the batch and the connection.
    Connection,
}

use Ends::{Batch, Connection, Scope, Statement, Transaction};

/// Errors of this severity and above end the connection, and no TRY sees them.
pub const SEVERITY_FATAL: u8 = 20;

/// What a number means.
#[derive(Clone, Copy, Debug)]
struct Row {
    number: i32,
    /// Severity that the error has when the server itself makes it. Only the test of K2 asks for it yet.
    #[cfg_attr(not(test), expect(dead_code, reason = "the error carries its own"))]
    severity: u8,
    ends: Ends,
    /// K3
    is_of_binding: bool,
}

/// An error of a statement that runs.
const fn running(number: i32, severity: u8, ends: Ends) -> Row {
    Row { number, severity, ends, is_of_binding: false }
}

/// An error of a statement that is bound.
const fn binding(number: i32, severity: u8, ends: Ends) -> Row {
    Row { number, severity, ends, is_of_binding: true }
}

fn row(number: i32) -> Option<&'static Row> {
    ROWS.binary_search_by_key(&number, |row| row.number).ok().map(|index| &ROWS[index])
}

/// What `cause` ends. THROW ends the batch whatever its number, a statement that cannot be bound its scope, and a severity
/// of [`SEVERITY_FATAL`] the connection.
#[must_use]
pub fn ends(cause: &SqlError) -> Ends {
    if cause.severity >= SEVERITY_FATAL {
        return Connection;
    }
    let by_number = row(cause.number).map_or(Statement, |row| row.ends);
    match cause {
        SqlError { is_thrown: true, .. } => by_number.max(Batch),
        SqlError { is_of_binding: true, .. } => by_number.max(Scope),
        _ => by_number,
    }
}

/// Whether `cause` rolls the transaction back, or dooms it where a TRY catches the error.
#[must_use]
pub fn rolls_back(cause: &SqlError) -> bool {
    ends(cause) >= Transaction
}

/// K3
#[must_use]
pub fn is_of_binding(number: i32) -> bool {
    row(number).is_some_and(|row| row.is_of_binding)
}

/// An error as it is when a statement of the running text is bound.
#[must_use]
pub fn when_bound(mut error: SqlError) -> SqlError {
    error.is_of_binding = is_of_binding(error.number);
    error
}

/// K1
const ROWS: &[Row] = &[
    binding(102, 15, Statement),
    binding(103, 15, Statement),
    binding(104, 16, Statement),
    binding(105, 15, Statement),
    binding(106, 16, Scope),
    binding(107, 15, Scope),
    binding(108, 16, Scope),
    binding(109, 15, Scope),
    binding(110, 15, Scope),
    binding(111, 15, Statement),
    binding(113, 15, Statement),
    binding(116, 16, Scope),
    binding(117, 15, Statement),
    binding(119, 15, Statement),
    binding(120, 15, Scope),
    binding(121, 15, Scope),
    binding(127, 15, Statement),
    binding(129, 15, Statement),
    binding(130, 15, Statement),
    binding(131, 15, Statement),
    binding(132, 15, Statement),
    binding(133, 15, Statement),
    binding(134, 15, Statement),
    binding(135, 15, Statement),
    binding(136, 15, Statement),
    binding(137, 15, Scope),
    binding(140, 15, Statement),
    binding(141, 15, Scope),
    binding(144, 15, Statement),
    binding(145, 15, Statement),
    binding(147, 15, Statement),
    running(148, 15, Statement),
    binding(155, 15, Scope),
    binding(156, 15, Statement),
    binding(164, 15, Statement),
    binding(168, 15, Statement),
    binding(174, 15, Scope),
    binding(178, 15, Scope),
    binding(179, 15, Statement),
    binding(180, 15, Statement),
    binding(188, 15, Statement),
    binding(189, 15, Scope),
    binding(191, 15, Statement),
    binding(192, 15, Statement),
    binding(195, 15, Scope),
    binding(196, 15, Statement),
    running(201, 16, Statement),
    binding(205, 16, Statement),
    binding(206, 16, Statement),
    binding(207, 16, Scope),
    binding(208, 16, Scope),
    binding(209, 16, Scope),
    binding(213, 16, Scope),
    running(214, 16, Statement),
    running(217, 16, Transaction),
    running(219, 16, Transaction),
    running(220, 16, Statement),
    running(226, 16, Statement),
    running(232, 16, Statement),
    running(234, 16, Statement),
    running(235, 16, Transaction),
    running(236, 16, Transaction),
    binding(240, 16, Scope),
    running(241, 16, Transaction),
    running(242, 16, Transaction),
    binding(243, 16, Statement),
    running(244, 16, Transaction),
    running(245, 16, Transaction),
    binding(246, 16, Scope),
    binding(247, 16, Scope),
    running(248, 16, Transaction),
    binding(252, 16, Statement),
    binding(253, 16, Statement),
    binding(257, 16, Scope),
    binding(258, 15, Statement),
    binding(259, 16, Scope),
    binding(263, 16, Scope),
    binding(264, 16, Scope),
    binding(265, 16, Scope),
    running(266, 16, Statement),
    binding(271, 16, Statement),
    binding(272, 16, Statement),
    binding(273, 16, Statement),
    binding(277, 16, Scope),
    running(281, 16, Statement),
    binding(286, 16, Statement),
    running(289, 16, Statement),
    running(293, 16, Transaction),
    running(294, 16, Statement),
    running(295, 16, Transaction),
    binding(305, 16, Statement),
    binding(306, 16, Statement),
    binding(308, 16, Statement),
    binding(310, 15, Statement),
    binding(313, 16, Statement),
    binding(319, 15, Statement),
    binding(321, 15, Statement),
    binding(331, 16, Scope),
    binding(334, 16, Scope),
    binding(343, 15, Statement),
    running(350, 16, Statement),
    binding(352, 15, Statement),
    binding(402, 16, Scope),
    binding(443, 16, Statement),
    binding(444, 16, Statement),
    binding(446, 16, Statement),
    binding(447, 16, Statement),
    binding(448, 16, Statement),
    binding(449, 16, Statement),
    binding(451, 16, Statement),
    running(455, 16, Statement),
    binding(460, 16, Scope),
    binding(461, 16, Scope),
    binding(462, 16, Scope),
    binding(465, 16, Scope),
    binding(467, 16, Scope),
    binding(468, 16, Statement),
    binding(473, 16, Scope),
    binding(488, 16, Scope),
    running(500, 16, Statement),
    running(506, 16, Statement),
    running(511, 16, Statement),
    running(512, 16, Statement),
    running(515, 16, Statement),
    running(517, 16, Statement),
    binding(529, 16, Scope),
    running(530, 16, Statement),
    running(535, 16, Statement),
    running(536, 16, Statement),
    running(537, 16, Statement),
    running(544, 16, Statement),
    running(545, 16, Statement),
    running(547, 16, Statement),
    running(550, 16, Statement),
    running(557, 16, Statement),
    running(574, 16, Statement),
    running(601, 16, Statement),
    running(628, 16, Statement),
    running(701, 17, Statement),
    running(802, 17, Statement),
    running(823, 24, Connection),
    running(824, 24, Connection),
    running(858, 16, Statement),
    running(862, 16, Statement),
    running(864, 16, Statement),
    running(868, 16, Statement),
    running(872, 16, Statement),
    running(873, 16, Statement),
    running(911, 16, Transaction),
    running(922, 14, Statement),
    running(924, 14, Statement),
    running(926, 14, Statement),
    running(927, 14, Statement),
    running(942, 14, Statement),
    running(945, 14, Statement),
    binding(1001, 15, Statement),
    binding(1002, 15, Statement),
    binding(1007, 15, Statement),
    binding(1011, 15, Statement),
    binding(1013, 16, Scope),
    binding(1018, 15, Statement),
    binding(1020, 15, Statement),
    binding(1023, 15, Statement),
    binding(1026, 15, Statement),
    binding(1031, 15, Statement),
    running(1036, 16, Statement),
    running(1037, 16, Statement),
    binding(1038, 15, Statement),
    running(1039, 16, Statement),
    binding(1047, 15, Statement),
    binding(1_054, 15, Statement),
    binding(1060, 15, Statement),
    binding(1062, 15, Statement),
    binding(1067, 15, Statement),
    binding(1_074, 15, Statement),
    running(1077, 16, Statement),
    binding(1087, 15, Scope),
    running(1088, 16, Statement),
    running(1105, 17, Statement),
    running(1138, 17, Statement),
    running(1202, 16, Statement),
    running(1204, 19, Statement),
    running(1205, 13, Transaction),
    running(1222, 16, Statement),
    running(1223, 16, Statement),
    running(1224, 16, Statement),
    running(1505, 16, Transaction),
    running(1701, 16, Statement),
    running(1753, 16, Transaction),
    running(1757, 16, Transaction),
    running(1759, 16, Transaction),
    running(1763, 16, Transaction),
    running(1765, 16, Transaction),
    running(1766, 16, Transaction),
    running(1767, 16, Transaction),
    running(1768, 16, Transaction),
    running(1769, 16, Transaction),
    running(1770, 16, Transaction),
    running(1773, 16, Transaction),
    running(1774, 16, Transaction),
    running(1776, 16, Transaction),
    running(1778, 16, Transaction),
    running(1779, 16, Transaction),
    running(1781, 16, Transaction),
    running(1785, 16, Transaction),
    running(1801, 16, Statement),
    running(1802, 16, Statement),
    running(1828, 16, Statement),
    running(1834, 16, Statement),
    running(1835, 16, Statement),
    running(1902, 16, Statement),
    running(1904, 16, Statement),
    running(1909, 16, Statement),
    running(1911, 16, Statement),
    running(1913, 16, Statement),
    running(1919, 16, Statement),
    running(1927, 16, Statement),
    running(1944, 16, Statement),
    running(1946, 16, Statement),
    running(2010, 16, Statement),
    running(2501, 16, Statement),
    running(2520, 16, Statement),
    running(2526, 16, Statement),
    running(2555, 16, Statement),
    running(2560, 16, Statement),
    running(2571, 16, Statement),
    running(2575, 16, Statement),
    running(2583, 16, Statement),
    running(2588, 16, Statement),
    running(2601, 14, Statement),
    running(2627, 14, Statement),
    running(2628, 16, Statement),
    running(2705, 16, Statement),
    running(2714, 16, Scope),
    running(2715, 16, Statement),
    running(2716, 16, Statement),
    running(2727, 11, Statement),
    running(2732, 16, Statement),
    running(2738, 16, Statement),
    running(2741, 16, Statement),
    running(2744, 16, Statement),
    running(2747, 16, Statement),
    running(2749, 16, Statement),
    running(2750, 16, Statement),
    running(2754, 16, Statement),
    running(2760, 16, Statement),
    running(2767, 16, Statement),
    binding(2772, 16, Statement),
    running(2786, 16, Statement),
    running(2787, 16, Statement),
    running(2809, 16, Statement),
    running(2812, 16, Statement),
    running(3013, 16, Statement),
    running(3021, 16, Statement),
    running(3044, 16, Statement),
    running(3101, 16, Statement),
    running(3108, 16, Statement),
    running(3117, 16, Statement),
    running(3135, 16, Statement),
    running(3147, 16, Statement),
    running(3154, 16, Statement),
    running(3159, 16, Statement),
    running(3169, 16, Statement),
    running(3189, 16, Statement),
    running(3201, 16, Statement),
    running(3203, 16, Statement),
    running(3217, 16, Statement),
    running(3234, 16, Statement),
    running(3241, 16, Statement),
    running(3271, 16, Statement),
    running(3314, 21, Connection),
    running(3414, 21, Connection),
    running(3609, 16, Batch),
    running(3616, 16, Transaction),
    running(3617, 11, Batch),
    running(3623, 16, Statement),
    running(3634, 16, Statement),
    running(3701, 11, Statement),
    running(3702, 16, Statement),
    running(3703, 16, Statement),
    running(3708, 16, Statement),
    running(3723, 16, Statement),
    running(3725, 16, Statement),
    running(3726, 16, Statement),
    running(3728, 16, Transaction),
    running(3729, 16, Statement),
    running(3732, 16, Statement),
    running(3739, 11, Statement),
    running(3902, 16, Statement),
    running(3903, 16, Statement),
    running(3906, 16, Statement),
    running(3915, 16, Transaction),
    running(3916, 16, Transaction),
    running(3918, 16, Statement),
    running(3930, 16, Transaction),
    running(3931, 16, Transaction),
    running(3951, 16, Transaction),
    running(3952, 16, Transaction),
    running(3958, 16, Transaction),
    running(3960, 16, Transaction),
    running(3961, 16, Transaction),
    running(3966, 16, Transaction),
    running(3998, 16, Statement),
    running(4002, 16, Statement),
    running(4_060, 11, Statement),
    binding(4_103, 15, Statement),
    binding(4104, 16, Scope),
    binding(4108, 15, Statement),
    binding(4109, 15, Statement),
    binding(4113, 15, Statement),
    binding(4114, 15, Statement),
    binding(4115, 16, Statement),
    binding(4116, 16, Statement),
    binding(4121, 16, Statement),
    binding(4127, 16, Statement),
    binding(4145, 15, Statement),
    binding(4150, 16, Scope),
    binding(4151, 16, Statement),
    binding(4193, 16, Scope),
    binding(4194, 16, Scope),
    running(4199, 16, Statement),
    running(4208, 16, Statement),
    running(4214, 16, Statement),
    running(4305, 16, Statement),
    running(4326, 16, Statement),
    binding(4403, 16, Scope),
    binding(4405, 16, Scope),
    binding(4406, 16, Scope),
    binding(4426, 16, Scope),
    running(4506, 16, Statement),
    running(4511, 16, Statement),
    running(4701, 16, Statement),
    running(4712, 16, Transaction),
    running(4830, 16, Statement),
    running(4831, 16, Statement),
    running(4832, 16, Statement),
    running(4834, 16, Statement),
    running(4860, 16, Statement),
    running(4861, 16, Statement),
    running(4862, 16, Statement),
    running(4863, 16, Statement),
    running(4864, 16, Statement),
    running(4865, 16, Statement),
    running(4866, 16, Statement),
    running(4867, 16, Statement),
    running(4869, 16, Statement),
    running(4879, 16, Statement),
    running(4901, 16, Transaction),
    running(4902, 16, Statement),
    running(4917, 16, Statement),
    running(4920, 16, Statement),
    running(4_922, 16, Statement),
    running(4923, 16, Statement),
    running(4924, 16, Statement),
    running(4_927, 16, Statement),
    running(4928, 16, Statement),
    running(4936, 16, Statement),
    running(5009, 16, Statement),
    running(5011, 14, Statement),
    running(5013, 16, Statement),
    running(5020, 16, Statement),
    running(5030, 16, Statement),
    running(5033, 16, Statement),
    running(5034, 16, Statement),
    running(5036, 16, Statement),
    running(5038, 16, Statement),
    running(5039, 16, Statement),
    running(5040, 16, Statement),
    running(5041, 16, Statement),
    running(5042, 16, Statement),
    running(5058, 16, Statement),
    running(5061, 16, Statement),
    running(5064, 16, Statement),
    running(5069, 16, Statement),
    running(5070, 16, Statement),
    running(5074, 16, Statement),
    running(5120, 16, Statement),
    running(5123, 16, Statement),
    running(5133, 16, Statement),
    running(5149, 16, Statement),
    running(5170, 16, Statement),
    running(5242, 22, Connection),
    binding(5308, 15, Scope),
    binding(5309, 15, Scope),
    binding(5318, 16, Scope),
    binding(5324, 15, Statement),
    binding(5333, 16, Scope),
    binding(5334, 16, Scope),
    binding(5362, 15, Statement),
    binding(5365, 15, Statement),
    binding(5373, 16, Scope),
    running(6104, 16, Statement),
    running(6106, 16, Statement),
    running(6401, 16, Statement),
    running(7105, 22, Connection),
    running(7119, 16, Statement),
    running(7133, 16, Statement),
    running(7330, 16, Statement),
    running(7399, 16, Statement),
    running(7940, 16, Statement),
    running(7997, 16, Statement),
    binding(8101, 16, Statement),
    binding(8102, 16, Statement),
    running(8106, 16, Transaction),
    running(8107, 16, Transaction),
    running(8110, 16, Statement),
    running(8111, 16, Statement),
    running(8112, 16, Statement),
    running(8114, 16, Transaction),
    running(8115, 16, Statement),
    binding(8116, 16, Statement),
    binding(8117, 16, Scope),
    binding(8120, 16, Scope),
    binding(8121, 16, Scope),
    binding(8127, 16, Scope),
    binding(8133, 16, Statement),
    running(8134, 16, Statement),
    running(8139, 16, Statement),
    running(8143, 16, Statement),
    binding(8144, 16, Statement),
    running(8145, 16, Statement),
    running(8147, 16, Statement),
    running(8148, 16, Statement),
    running(8152, 16, Statement),
    binding(8154, 16, Statement),
    binding(8155, 16, Statement),
    binding(8156, 16, Statement),
    binding(8158, 16, Scope),
    binding(8159, 16, Statement),
    binding(8161, 16, Statement),
    running(8162, 16, Statement),
    running(8164, 16, Statement),
    binding(8167, 16, Scope),
    running(8169, 16, Transaction),
    running(8170, 16, Statement),
    running(8178, 16, Statement),
    running(8179, 16, Statement),
    running(8197, 16, Statement),
    running(8623, 16, Statement),
    running(8624, 16, Statement),
    running(8630, 16, Statement),
    running(8631, 17, Statement),
    running(8645, 17, Statement),
    running(8672, 16, Statement),
    binding(8727, 16, Scope),
    binding(8730, 16, Scope),
    binding(8733, 16, Scope),
    running(8968, 16, Statement),
    running(8985, 16, Statement),
    running(9001, 21, Connection),
    running(9002, 17, Statement),
    running(9810, 16, Statement),
    running(9812, 16, Statement),
    running(9818, 16, Statement),
    running(9820, 16, Statement),
    running(9828, 16, Statement),
    running(9829, 16, Statement),
    running(9834, 16, Statement),
    binding(10_700, 16, Statement),
    running(10_704, 15, Statement),
    binding(10_705, 15, Statement),
    binding(10_707, 15, Statement),
    binding(10_709, 16, Scope),
    binding(10_711, 15, Statement),
    binding(10_713, 15, Statement),
    binding(10_714, 15, Statement),
    binding(10_734, 15, Statement),
    binding(10_738, 15, Statement),
    binding(10_741, 15, Statement),
    binding(10_751, 15, Statement),
    binding(10_753, 15, Statement),
    binding(10_755, 15, Statement),
    binding(10_757, 15, Statement),
    binding(10_759, 15, Scope),
    binding(10_760, 16, Statement),
    running(10_794, 16, Statement),
    running(10_908, 16, Statement),
    running(10_912, 16, Statement),
    running(11_514, 16, Statement),
    running(11_700, 16, Transaction),
    running(11_701, 16, Transaction),
    running(11_702, 16, Transaction),
    running(11_703, 16, Transaction),
    running(11_704, 16, Transaction),
    running(11_705, 16, Transaction),
    running(11_706, 16, Transaction),
    running(11_707, 16, Transaction),
    running(11_708, 16, Transaction),
    binding(11_709, 15, Statement),
    binding(11_719, 15, Statement),
    binding(11_720, 15, Statement),
    binding(11_721, 15, Statement),
    binding(11_723, 15, Statement),
    running(11_728, 16, Statement),
    running(11_732, 16, Statement),
    binding(11_739, 15, Statement),
    binding(11_741, 15, Statement),
    running(12_316, 16, Statement),
    running(12_317, 16, Statement),
    running(13_614, 16, Statement),
    running(15_009, 16, Statement),
    running(15_010, 16, Statement),
    running(15_097, 16, Statement),
    running(15_123, 16, Statement),
    running(15_150, 16, Statement),
    running(15_151, 16, Statement),
    running(15_197, 16, Statement),
    running(15_223, 11, Statement),
    running(15_234, 16, Statement),
    running(15_248, 11, Statement),
    running(15_249, 11, Statement),
    running(15_250, 16, Statement),
    running(15_325, 16, Statement),
    running(15_335, 11, Statement),
    running(15_336, 16, Statement),
    binding(16_211, 15, Statement),
    running(16_905, 16, Statement),
    running(16_911, 16, Statement),
    running(16_915, 16, Statement),
    running(16_916, 16, Statement),
    running(16_917, 16, Statement),
    running(16_924, 16, Statement),
    running(16_929, 16, Statement),
    running(16_931, 16, Statement),
    running(16_932, 16, Statement),
    running(16_933, 16, Statement),
    running(16_947, 16, Statement),
    running(16_949, 16, Statement),
    running(16_950, 16, Statement),
    running(18_054, 16, Statement),
    running(35_100, 16, Statement),
    running(40_517, 16, Scope),
    running(41_327, 16, Statement),
    running(41_805, 16, Statement),
    running(50_000, 16, Statement),
];

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_table_is_sorted_and_has_no_doubles() {
        for pair in ROWS.windows(2) {
            assert!(pair[0].number < pair[1].number, "{} stands before {}", pair[0].number, pair[1].number);
        }
    }

    #[test]
    fn fatal_severities_end_the_connection() {
        for row in ROWS {
            assert_eq!(row.severity >= SEVERITY_FATAL, row.ends == Connection, "{}", row.number);
        }
    }

    #[test]
    fn every_error_of_the_source_is_in_the_table_with_its_severity() {
        let mut found = Vec::new();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        read_folder(&root.join("src"), &mut found);
        read_folder(&root.join("../tsql/src"), &mut found);
        assert!(found.len() > 400, "the source is read: {} errors", found.len());
        found.retain(|(number, severity)| row(*number).is_none_or(|row| row.severity != *severity));
        assert!(found.is_empty(), "numbers and severities that the table does not have: {found:?}");
    }

    /// Number and severity of each `SqlError::new(208, 16, …` and `SyntaxError::new(…`.
    fn read_folder(folder: &Path, found: &mut Vec<(i32, u8)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                read_folder(&path, found);
            } else if path.extension().is_some_and(|ext| ext == "rs") {
                read_text(&std::fs::read_to_string(&path).unwrap(), found);
            }
        }
    }

    fn read_text(text: &str, found: &mut Vec<(i32, u8)>) {
        for (at, made) in text.match_indices("Error::new(") {
            let mut numbers = text[at + made.len()..].split(',').map(|part| part.trim().replace('_', ""));
            if let (Some(Ok(number)), Some(Ok(severity))) =
                (numbers.next().map(|part| part.parse()), numbers.next().map(|part| part.parse()))
            {
                found.push((number, severity));
            }
        }
    }
}
