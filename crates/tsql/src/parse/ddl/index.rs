//! Indexes and statistics.

use crate::ast::{
    AlterIndex, AlterIndexAction, Clustering, CreateIndex, CreateStatistics, DropIndex, IndexColumn, IndexDefinition,
    IndexStructure, NamedOption, ObjectName, StatementKind, UpdateStatistics,
};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::parse::Parser;
use crate::token::TokenKind;

/// What definitions of indexes share.
impl Parser<'_> {
    pub(in crate::parse) fn clustering(&mut self) -> Option<Clustering> {
        if self.eat_keyword(Keyword::Clustered) {
            Some(Clustering::Clustered)
        } else if self.eat_keyword(Keyword::NonClustered) {
            Some(Clustering::NonClustered)
        } else {
            None
        }
    }

    /// `(column [ASC|DESC], …)`, or nothing.
    pub(in crate::parse) fn index_columns(&mut self) -> Parsed<Vec<IndexColumn>> {
        if self.kind() != TokenKind::LeftParen {
            return Ok(Vec::new());
        }
        self.parenthesised(|parser| {
            let name = parser.ident()?;
            let descending = parser.eat_keyword(Keyword::Desc);
            if !descending {
                parser.eat_keyword(Keyword::Asc);
            }
            Ok(IndexColumn { name, descending })
        })
    }

    /// `WITH (…)`, `WITH FILLFACTOR = n, PAD_INDEX`, or nothing.
    pub(in crate::parse) fn index_options(&mut self) -> Parsed<Vec<NamedOption>> {
        if !self.eat_keyword(Keyword::With) {
            return Ok(Vec::new());
        }
        if self.kind() == TokenKind::LeftParen {
            return self.option_list();
        }
        // The old form: each is a word, and FILLFACTOR has a number.
        self.comma_separated(Self::old_index_option)
    }

    fn old_index_option(&mut self) -> Parsed<NamedOption> {
        if self.is_keyword(Keyword::FillFactor) {
            return self.named_option(false);
        }
        let known = ["pad_index", "ignore_dup_key", "drop_existing", "statistics_norecompute", "sort_in_tempdb"];
        if !known.iter().any(|word| self.is_word(word)) {
            return Err(self.unexpected());
        }
        let name = self.upper();
        self.bump();
        Ok(NamedOption { name, value: crate::ast::OptionValue::None, details: Vec::new() })
    }

    /// `[(columns)] [INCLUDE (…)] [WHERE …] [WITH …] [ON …]`
    pub(in crate::parse) fn index_tail(&mut self, mut index: IndexDefinition) -> Parsed<IndexDefinition> {
        index.columns = self.index_columns()?;
        if index.structure == IndexStructure::ColumnStore && self.is_keyword(Keyword::Order) {
            self.bump();
            self.skip_parentheses()?;
        }
        if self.eat_word("include") {
            index.include = self.parenthesised(Self::ident)?;
        }
        index.filter = self.where_clause()?;
        index.options = self.index_options()?;
        index.on = self.on_data_space()?;
        if self.eat_word("filestream_on") {
            self.data_space()?;
            self.not_yet("CREATE INDEX … FILESTREAM_ON");
        }
        Ok(index)
    }
}

/// CREATE, ALTER and DROP INDEX.
impl Parser<'_> {
    /// Whether INDEX stands here or after UNIQUE, CLUSTERED, NONCLUSTERED and COLUMNSTORE.
    pub(in crate::parse) fn is_index(&self) -> bool {
        use Keyword::{Clustered, Index, NonClustered, Unique};
        let mut ahead = 0;
        while matches!(self.kind_at(ahead), TokenKind::Keyword(Unique | Clustered | NonClustered))
            || self.is_word_at(ahead, "columnstore")
        {
            ahead += 1;
        }
        self.is_keyword_at(ahead, Index)
    }

    /// `[UNIQUE] [CLUSTERED|NONCLUSTERED] [COLUMNSTORE] INDEX name ON table …`; CREATE is read.
    pub(in crate::parse) fn create_index(&mut self) -> Parsed<StatementKind> {
        let unique = self.eat_keyword(Keyword::Unique);
        let clustering = self.clustering();
        let column_store = self.eat_word("columnstore");
        self.expect_keyword(Keyword::Index)?;
        let name = self.ident()?;
        self.expect_keyword(Keyword::On)?;
        let table = self.defined_name()?;
        if self.kind() != TokenKind::LeftParen && !column_store {
            return Err(self.unexpected());
        }
        let structure = if column_store { IndexStructure::ColumnStore } else { IndexStructure::Tree };
        let index = self.index_tail(IndexDefinition {
            name,
            unique,
            clustering,
            structure,
            columns: Vec::new(),
            include: Vec::new(),
            filter: None,
            options: Vec::new(),
            on: None,
        })?;
        Ok(StatementKind::CreateIndex(Box::new(CreateIndex { table, index })))
    }

    /// `INDEX name|ALL ON table REBUILD|REORGANIZE|DISABLE|SET …`; ALTER is read.
    pub(in crate::parse) fn alter_index(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let index = if self.eat_keyword(Keyword::All) { None } else { Some(self.ident()?) };
        self.expect_keyword(Keyword::On)?;
        let table = self.defined_name()?;
        let action = if self.eat_word("rebuild") {
            let partition = self.partition()?;
            AlterIndexAction::Rebuild { partition, options: self.with_options()? }
        } else if self.eat_word("reorganize") {
            let partition = self.partition()?;
            AlterIndexAction::Reorganize { partition, options: self.with_options()? }
        } else if self.eat_word("disable") {
            AlterIndexAction::Disable
        } else if self.eat_keyword(Keyword::Set) {
            AlterIndexAction::Set(self.option_list()?)
        } else if ["resume", "pause", "abort"].iter().any(|word| self.is_word(word)) {
            let words = format!("ALTER INDEX … {}", self.upper());
            self.bump();
            self.with_options()?;
            self.not_yet(&words);
            AlterIndexAction::Disable
        } else {
            return Err(self.unexpected());
        };
        Ok(StatementKind::AlterIndex(Box::new(AlterIndex { index, table, action })))
    }

    /// `PARTITION = ALL|n`, if it stands here.
    pub(in crate::parse) fn partition(&mut self) -> Parsed<Option<u32>> {
        if !self.eat_word("partition") {
            return Ok(None);
        }
        self.expect(TokenKind::Equal)?;
        if self.eat_keyword(Keyword::All) { Ok(None) } else { self.unsigned().map(Some) }
    }

    /// `INDEX [IF EXISTS] name ON table [WITH (…)], …` or `INDEX table.name, …`; DROP is read.
    pub(in crate::parse) fn drop_index(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let if_exists = self.if_exists()?;
        let indexes = self.comma_separated(Self::dropped_index)?;
        Ok(StatementKind::DropIndex { indexes, if_exists })
    }

    fn dropped_index(&mut self) -> Parsed<DropIndex> {
        let mut table = self.object_name()?;
        let index = table.parts.pop().unwrap_or_default();
        if self.is_keyword(Keyword::On) && table.parts.is_empty() {
            self.bump();
            let table = self.defined_name()?;
            let options = self.with_options()?;
            return Ok(DropIndex { index, table, options });
        }
        if table.parts.is_empty() {
            return Err(self.unexpected());
        }
        Ok(DropIndex { index, table, options: Vec::new() })
    }
}

/// Statistics.
impl Parser<'_> {
    /// `STATISTICS name ON table (columns) [WHERE …] [WITH …]`; CREATE is read.
    pub(in crate::parse) fn create_statistics(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let name = self.ident()?;
        self.expect_keyword(Keyword::On)?;
        let table = self.defined_name()?;
        let columns = self.parenthesised(Self::ident)?;
        let filter = self.where_clause()?;
        let options = self.statistics_options()?;
        let create = CreateStatistics { name, table, columns, filter, options };
        Ok(StatementKind::CreateStatistics(Box::new(create)))
    }

    /// `STATISTICS table [name | (name, …)] [WITH …]`; UPDATE is read.
    pub(in crate::parse) fn update_statistics(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let table: ObjectName = self.defined_name()?;
        let names = if self.kind() == TokenKind::LeftParen {
            self.parenthesised(Self::ident)?
        } else if self.is_name() {
            vec![self.ident()?]
        } else {
            Vec::new()
        };
        let options = self.statistics_options()?;
        Ok(StatementKind::UpdateStatistics(Box::new(UpdateStatistics { table, names, options })))
    }

    fn statistics_options(&mut self) -> Parsed<Vec<NamedOption>> {
        let follows = matches!(
            self.kind_at(1),
            TokenKind::Word | TokenKind::Keyword(Keyword::All | Keyword::Index | Keyword::RowCount)
        );
        if !self.is_keyword(Keyword::With) || !follows {
            return Ok(Vec::new());
        }
        self.bump();
        self.open_options()
    }
}
