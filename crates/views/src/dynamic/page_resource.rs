//! A page that is waited for as eight bytes: `page_resource` of `sys.dm_exec_requests` and `sys.sysprocesses`, and
//! `sys.fn_PageResCracker`, which reads it. The bytes are page, file and database, each with its lowest byte first.

use millpond_builtin::TableFunctionDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::Value;

use crate::columns::{VarBinary, bytes, int};
use crate::row::{Rows, row, table_function};

row! {
    /// A row of `sys.fn_PageResCracker`.
    struct FnPageResCracker {
        db_id: i32,
        file_id: i32,
        page_id: i32,
    }
}

/// `sys.fn_PageResCracker(page_resource)`: the page, or nothing of what is none.
pub static FN_PAGE_RES_CRACKER: TableFunctionDef =
    table_function!("sys", "fn_PageResCracker", [VarBinary<8>], optional 0, FnPageResCracker, cracked);

fn cracked(_: &RunContext, args: &[Value]) -> SqlResult<Rows<FnPageResCracker>> {
    let Some(Value::Binary(given)) = args.first() else { return Ok(Rows::new()) };
    let Ok([p0, p1, p2, p3, f0, f1, d0, d1]) = <[u8; 8]>::try_from(&given[..]) else { return Ok(Rows::new()) };
    Ok(Rows::one(FnPageResCracker {
        db_id: int(u16::from_le_bytes([d0, d1])),
        file_id: int(u16::from_le_bytes([f0, f1])),
        page_id: i32::from_le_bytes([p0, p1, p2, p3]),
    }))
}

/// The bytes of a page that a wait names: `database:file:page`, with what else stands after it.
pub(crate) fn of_wait(resource: &str) -> Option<VarBinary<8>> {
    let mut numbers = resource.split_whitespace().next()?.split(':').map(str::parse::<u32>);
    let (Some(Ok(database)), Some(Ok(file)), Some(Ok(page)), None) =
        (numbers.next(), numbers.next(), numbers.next(), numbers.next())
    else {
        return None;
    };
    let (file, database) = (u16::try_from(file).ok()?, u16::try_from(database).ok()?);
    let mut all = page.to_le_bytes().to_vec();
    all.extend_from_slice(&file.to_le_bytes());
    all.extend_from_slice(&database.to_le_bytes());
    Some(bytes(&all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_have_bytes() {
        assert!(of_wait("2:1:103").is_some() && of_wait("5:3:77 (LATCH_EX)").is_some());
        for other in ["", "ROW: 5:1:100:3", "OBJECT: 5:100:0", "2:1", "2:1:x", "2:1:3:4", "99999:1:1"] {
            assert!(of_wait(other).is_none(), "{other}");
        }
    }
}
