//! The reserved words of T-SQL: those that are no names unless delimited. Other words of statements (`THROW`, `OFFSET`,
//! `NOLOCK`) are names and mean something only where the grammar asks for them. PRECISION is a name too, though it is
//! listed as reserved: `sys.columns` has a column of that name, and everybody writes it without brackets.
//!
//! The table is sorted by spelling; a test holds it so.

macro_rules! keywords {
    ($($variant:ident $text:literal),* $(,)?) => {
        /// A reserved word.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Keyword {
            $(#[doc = $text] $variant,)*
        }

        const TABLE: &[(&str, Keyword)] = &[$(($text, Keyword::$variant),)*];
    };
}

keywords! {
    Add "ADD", All "ALL", Alter "ALTER", And "AND", Any "ANY", As "AS", Asc "ASC",
    Authorization "AUTHORIZATION", Backup "BACKUP", Begin "BEGIN", Between "BETWEEN", Break "BREAK",
    Browse "BROWSE", Bulk "BULK", By "BY", Cascade "CASCADE", Case "CASE", Check "CHECK",
    Checkpoint "CHECKPOINT", Close "CLOSE", Clustered "CLUSTERED", Coalesce "COALESCE",
    Collate "COLLATE", Column "COLUMN", Commit "COMMIT", Compute "COMPUTE", Constraint "CONSTRAINT",
    Contains "CONTAINS", ContainsTable "CONTAINSTABLE", Continue "CONTINUE", Convert "CONVERT",
    Create "CREATE", Cross "CROSS", Current "CURRENT", CurrentDate "CURRENT_DATE",
    CurrentTime "CURRENT_TIME", CurrentTimestamp "CURRENT_TIMESTAMP", CurrentUser "CURRENT_USER",
    Cursor "CURSOR", Database "DATABASE", Dbcc "DBCC", Deallocate "DEALLOCATE", Declare "DECLARE",
    Default "DEFAULT", Delete "DELETE", Deny "DENY", Desc "DESC", Disk "DISK", Distinct "DISTINCT",
    Distributed "DISTRIBUTED", Double "DOUBLE", Drop "DROP", Dump "DUMP", Else "ELSE", End "END",
    Errlvl "ERRLVL", Escape "ESCAPE", Except "EXCEPT", Exec "EXEC", Execute "EXECUTE",
    Exists "EXISTS", Exit "EXIT", External "EXTERNAL", Fetch "FETCH", File "FILE",
    FillFactor "FILLFACTOR", For "FOR", Foreign "FOREIGN", FreeText "FREETEXT",
    FreeTextTable "FREETEXTTABLE", From "FROM", Full "FULL", Function "FUNCTION", Goto "GOTO",
    Grant "GRANT", Group "GROUP", Having "HAVING", HoldLock "HOLDLOCK", Identity "IDENTITY",
    IdentityCol "IDENTITYCOL", IdentityInsert "IDENTITY_INSERT", If "IF", In "IN", Index "INDEX",
    Inner "INNER", Insert "INSERT", Intersect "INTERSECT", Into "INTO", Is "IS", Join "JOIN",
    Key "KEY", Kill "KILL", Left "LEFT", Like "LIKE", LineNo "LINENO", Load "LOAD", Merge "MERGE",
    National "NATIONAL", NoCheck "NOCHECK", NonClustered "NONCLUSTERED", Not "NOT", Null "NULL",
    NullIf "NULLIF", Of "OF", Off "OFF", Offsets "OFFSETS", On "ON", Open "OPEN",
    OpenDataSource "OPENDATASOURCE", OpenQuery "OPENQUERY", OpenRowSet "OPENROWSET",
    OpenXml "OPENXML", Option "OPTION", Or "OR", Order "ORDER", Outer "OUTER", Over "OVER",
    Percent "PERCENT", Pivot "PIVOT", Plan "PLAN", Primary "PRIMARY",
    Print "PRINT", Proc "PROC", Procedure "PROCEDURE", Public "PUBLIC", RaisError "RAISERROR",
    Read "READ", ReadText "READTEXT", Reconfigure "RECONFIGURE", References "REFERENCES",
    Replication "REPLICATION", Restore "RESTORE", Restrict "RESTRICT", Return "RETURN",
    Revert "REVERT", Revoke "REVOKE", Right "RIGHT", Rollback "ROLLBACK", RowCount "ROWCOUNT",
    RowGuidCol "ROWGUIDCOL", Rule "RULE", Save "SAVE", Schema "SCHEMA",
    SecurityAudit "SECURITYAUDIT", Select "SELECT",
    SemanticKeyPhraseTable "SEMANTICKEYPHRASETABLE",
    SemanticSimilarityDetailsTable "SEMANTICSIMILARITYDETAILSTABLE",
    SemanticSimilarityTable "SEMANTICSIMILARITYTABLE", SessionUser "SESSION_USER", Set "SET",
    SetUser "SETUSER", Shutdown "SHUTDOWN", Some "SOME", Statistics "STATISTICS",
    SystemUser "SYSTEM_USER", Table "TABLE", TableSample "TABLESAMPLE", TextSize "TEXTSIZE",
    Then "THEN", To "TO", Top "TOP", Tran "TRAN", Transaction "TRANSACTION", Trigger "TRIGGER",
    Truncate "TRUNCATE", TryConvert "TRY_CONVERT", TsEqual "TSEQUAL", Union "UNION",
    Unique "UNIQUE", Unpivot "UNPIVOT", Update "UPDATE", UpdateText "UPDATETEXT", Use "USE",
    User "USER", Values "VALUES", Varying "VARYING", View "VIEW", WaitFor "WAITFOR", When "WHEN",
    Where "WHERE", While "WHILE", With "WITH", WriteText "WRITETEXT",
}

/// The reserved words, in the order of their spelling.
pub fn reserved_words() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|(text, _)| *text)
}

/// Longest spelling in the table.
const LEN_MAX: usize = "SEMANTICSIMILARITYDETAILSTABLE".len();

impl Keyword {
    /// The reserved word that is spelled so, in any case.
    pub(crate) fn of(word: &str) -> Option<Keyword> {
        let mut upper = [0_u8; LEN_MAX];
        let upper = upper.get_mut(..word.len())?;
        upper.copy_from_slice(word.as_bytes());
        upper.make_ascii_uppercase();
        let found = TABLE.binary_search_by(|(text, _)| text.as_bytes().cmp(upper)).ok()?;
        Some(TABLE[found].1)
    }

    /// The word with which a statement begins, so that whatever stands before it is at an end.
    pub(crate) fn starts_statement(self) -> bool {
        use Keyword::*;
        matches!(
            self,
            Alter
                | Backup
                | Begin
                | Break
                | Bulk
                | Checkpoint
                | Close
                | Commit
                | Continue
                | Create
                | Dbcc
                | Deallocate
                | Declare
                | Delete
                | Deny
                | Drop
                | Dump
                | Else
                | End
                | Exec
                | Execute
                | Fetch
                | Goto
                | Grant
                | If
                | Insert
                | Kill
                | LineNo
                | Load
                | Merge
                | Open
                | Print
                | RaisError
                | ReadText
                | Reconfigure
                | Restore
                | Return
                | Revert
                | Revoke
                | Rollback
                | Save
                | Select
                | Set
                | SetUser
                | Shutdown
                | Truncate
                | Update
                | UpdateText
                | Use
                | WaitFor
                | While
                | WriteText
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_complete() {
        assert!(TABLE.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(TABLE.iter().all(|(text, _)| text.len() <= LEN_MAX));
        assert!(TABLE.iter().all(|(text, keyword)| Keyword::of(text) == Some(*keyword)));
    }

    #[test]
    fn case_does_not_matter_and_names_are_not_reserved() {
        assert_eq!(Keyword::of("sElEcT"), Some(Keyword::Select));
        for name in ["throw", "nolock", "go", "id", "", "ſelect", "a_name_that_is_longer_than_every_reserved_word"] {
            assert_eq!(Keyword::of(name), None);
        }
    }
}
