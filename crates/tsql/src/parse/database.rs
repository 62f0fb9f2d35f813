//! ALTER DATABASE: files with their sizes, and options by their words.

use super::Parser;
use crate::ast::{AlterDatabase, FileGrowth, FileLimit, FileSpec, StatementKind};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::token::TokenKind;

const KB_PER_MB: u64 = 1024;
const KB_PER_GB: u64 = 1024 * KB_PER_MB;
const KB_PER_TB: u64 = 1024 * KB_PER_GB;

impl Parser<'_> {
    /// `ALTER DATABASE name|CURRENT action`
    pub(super) fn alter_database(&mut self) -> Parsed<StatementKind> {
        self.at += 2;
        let database = if self.eat_keyword(Keyword::Current) { "CURRENT".to_owned() } else { self.ident()? };
        let action = match self.kind() {
            TokenKind::Keyword(Keyword::Add) => self.add_file()?,
            TokenKind::Keyword(Keyword::Set) => self.set_database()?,
            _ if self.is_word("modify") && self.is_keyword_at(1, Keyword::File) => {
                self.at += 2;
                AlterDatabase::ModifyFile(self.file_spec()?)
            }
            _ if self.is_word("remove") && self.is_keyword_at(1, Keyword::File) => {
                self.at += 2;
                AlterDatabase::RemoveFile(self.ident_or_string()?)
            }
            TokenKind::Keyword(Keyword::Collate) => self.other_action(self.at)?,
            _ if self.is_word("modify") || self.is_word("remove") => self.other_action(self.at)?,
            _ => return Err(self.unexpected()),
        };
        Ok(StatementKind::AlterDatabase { database, action })
    }

    /// `ADD [LOG] FILE (…), … [TO FILEGROUP g]`; files of another filegroup than the first are not there yet.
    fn add_file(&mut self) -> Parsed<AlterDatabase> {
        let first = self.at;
        self.bump();
        let log = self.eat_word("log");
        if self.is_word("filegroup") && !log {
            return self.other_action(first);
        }
        self.expect_keyword(Keyword::File)?;
        let files = self.comma_separated(Self::file_spec)?;
        if self.eat_keyword(Keyword::To) {
            self.expect_word("filegroup")?;
            if !self.eat_keyword(Keyword::Default) && !self.eat_keyword(Keyword::Primary) {
                let is_primary = self.ident_or_string()?.eq_ignore_ascii_case("primary");
                if !is_primary {
                    let end = std::mem::replace(&mut self.at, first);
                    return Ok(AlterDatabase::Other(self.words_up_to(end)));
                }
            }
        }
        Ok(AlterDatabase::AddFile { files, log })
    }

    /// `SET option [, option]… [WITH ROLLBACK IMMEDIATE]`
    fn set_database(&mut self) -> Parsed<AlterDatabase> {
        self.bump();
        let first = self.at;
        self.skip(|parser, keyword| {
            let previous = parser.tokens[parser.at - 1].kind;
            keyword == Keyword::Rollback && previous == TokenKind::Keyword(Keyword::With)
        })?;
        if self.at == first {
            return Err(self.unexpected());
        }
        let end = std::mem::replace(&mut self.at, first);
        Ok(AlterDatabase::Set(self.words_up_to(end)))
    }

    /// Any other action, by its words from the token `first` on.
    fn other_action(&mut self, first: usize) -> Parsed<AlterDatabase> {
        self.bump();
        let verb = self.at;
        self.skip(|_, _| false)?;
        if self.at == verb {
            return Err(self.unexpected());
        }
        let end = std::mem::replace(&mut self.at, first);
        Ok(AlterDatabase::Other(self.words_up_to(end)))
    }
}

/// Files.
impl Parser<'_> {
    /// `(NAME = …, FILENAME = …, …)`
    fn file_spec(&mut self) -> Parsed<FileSpec> {
        let mut spec = FileSpec::default();
        self.parenthesised(|parser| parser.file_option(&mut spec))?;
        Ok(spec)
    }

    /// One option. The first that is unknown or written twice is kept for the binder's message.
    fn file_option(&mut self, spec: &mut FileSpec) -> Parsed<()> {
        if !self.is_name() {
            return Err(self.unexpected());
        }
        let option = self.upper();
        self.bump();
        if option == "OFFLINE" {
            self.note_duplicate(spec, &option, spec.offline);
            spec.offline = true;
            return Ok(());
        }
        self.expect(TokenKind::Equal)?;
        match option.as_str() {
            "NAME" => {
                self.note_duplicate(spec, &option, spec.name.is_some());
                spec.name = Some(self.ident_or_string()?);
            }
            "NEWNAME" => {
                self.note_duplicate(spec, &option, spec.new_name.is_some());
                spec.new_name = Some(self.ident_or_string()?);
            }
            "FILENAME" => {
                self.note_duplicate(spec, &option, spec.file_name.is_some());
                spec.file_name = Some(self.string()?);
            }
            "SIZE" => {
                self.note_duplicate(spec, &option, spec.size_kb.is_some());
                spec.size_kb = Some(self.size_kb()?);
            }
            "MAXSIZE" => {
                self.note_duplicate(spec, &option, spec.max_size.is_some());
                spec.max_size = Some(self.file_limit()?);
            }
            "FILEGROWTH" => {
                self.note_duplicate(spec, &option, spec.growth.is_some());
                spec.growth = Some(self.file_growth()?);
            }
            _ => {
                self.note_duplicate(spec, &option, true);
                self.at = self.end_of_item();
            }
        }
        Ok(())
    }

    fn note_duplicate(&self, spec: &mut FileSpec, option: &str, wrong: bool) {
        if wrong && spec.duplicate.is_none() {
            spec.duplicate = Some(option.to_owned());
        }
    }

    /// `n`, `nKB`, `nMB`, `nGB`, `nTB`; a bare number counts MB. Too large a number is the largest.
    fn size_kb(&mut self) -> Parsed<u64> {
        let number: u64 = self.unsigned()?;
        let unit = if self.eat_word("kb") {
            1
        } else if self.eat_word("gb") {
            KB_PER_GB
        } else if self.eat_word("tb") {
            KB_PER_TB
        } else {
            self.eat_word("mb");
            KB_PER_MB
        };
        Ok(number.saturating_mul(unit))
    }

    fn file_limit(&mut self) -> Parsed<FileLimit> {
        if self.eat_word("unlimited") { Ok(FileLimit::Unlimited) } else { Ok(FileLimit::Kb(self.size_kb()?)) }
    }

    fn file_growth(&mut self) -> Parsed<FileGrowth> {
        if self.kind() == TokenKind::Integer && self.kind_at(1) == TokenKind::Percent {
            let percent = self.unsigned()?;
            self.bump();
            return Ok(FileGrowth::Percent(percent));
        }
        Ok(FileGrowth::Kb(self.size_kb()?))
    }
}
