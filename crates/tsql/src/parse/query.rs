//! Queries: SELECT blocks, set operators, ORDER BY, CTEs, and the clauses after a query.

use super::{DEPTH_MAX, Parser};
use crate::ast::{
    AssignOp, Assignment, Cte, Expr, ExprKind, ForClause, ForFormat, GroupItem, Ident, ObjectName, Over, Query,
    QueryBody, Select, SelectItem, SetOperator, Top,
};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::token::TokenKind;

/// More queries than this under one set operator become a balanced tree; see `expression::CHAIN_AS_WRITTEN_MAX`.
const CHAIN_AS_WRITTEN_MAX: usize = 64;

/// A query inside another takes the stack of two levels. SQL Server allows 32 queries inside each other, this parser 50.
const QUERY_LEVELS: u32 = 2;

/// The words that query hints begin with.
const QUERY_HINTS: [&str; 26] = [
    "CONCAT",
    "DISABLE",
    "EXPAND",
    "FAST",
    "FOR",
    "FORCE",
    "HASH",
    "IGNORE_NONCLUSTERED_COLUMNSTORE_INDEX",
    "KEEP",
    "KEEPFIXED",
    "LABEL",
    "LOOP",
    "MAXDOP",
    "MAXRECURSION",
    "MAX_GRANT_PERCENT",
    "MERGE",
    "MIN_GRANT_PERCENT",
    "NO_PERFORMANCE_SPOOL",
    "OPTIMIZE",
    "ORDER",
    "PARAMETERIZATION",
    "QUERYTRACEON",
    "RECOMPILE",
    "ROBUST",
    "TABLE",
    "USE",
];

/// Where a query begins.
impl Parser<'_> {
    /// Whether the parenthesis here holds a query, be it in more parentheses: for IN, EXISTS and FROM.
    pub(super) fn is_query_parenthesis(&self) -> bool {
        self.holds_query(true)
    }

    /// The same where `((SELECT 1))` may be a value in parentheses and is left to the parser of values.
    pub(super) fn is_query_parenthesis_of_value(&self) -> bool {
        self.holds_query(false)
    }

    /// Looks through a run of parentheses. `((SELECT …) UNION …)` is a query, `((SELECT …) + 1)` is none. A run that is too
    /// long to be parsed is not looked at to its end.
    fn holds_query(&self, alone: bool) -> bool {
        let ahead = self.tokens[self.at..].iter().take(DEPTH_MAX as usize + 1);
        let run = ahead.take_while(|token| token.kind == TokenKind::LeftParen).count();
        if run == 0 || !self.is_keyword_at(run, Keyword::Select) {
            return false;
        }
        (1..run).all(|inner| {
            let partner = self.tokens[self.at + inner].partner as usize;
            match self.tokens[partner + 1].kind {
                _ if partner == 0 => true,
                TokenKind::Keyword(Keyword::Union | Keyword::Except | Keyword::Intersect | Keyword::Order) => true,
                TokenKind::RightParen => alone,
                _ => false,
            }
        })
    }

    /// Fails where no `(SELECT` stands.
    pub(super) fn expect_query_parenthesis(&mut self) -> Parsed<()> {
        if self.is_query_parenthesis() {
            return Ok(());
        }
        self.expect(TokenKind::LeftParen)?;
        Err(self.unexpected())
    }

    /// `(query)`
    pub(super) fn parenthesised_query(&mut self) -> Parsed<Query> {
        if self.refuses_queries {
            return Err(error::subquery_not_allowed(self.line()));
        }
        self.expect(TokenKind::LeftParen)?;
        let before = std::mem::replace(&mut self.in_parenthesised_query, true);
        let query = self.deeper(QUERY_LEVELS, Self::query)?;
        self.in_parenthesised_query = before;
        self.expect(TokenKind::RightParen)?;
        Ok(query)
    }

    /// Something that has no subquery.
    pub(super) fn without_queries<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let before = std::mem::replace(&mut self.refuses_queries, true);
        let made = read(self)?;
        self.refuses_queries = before;
        Ok(made)
    }
}

/// Queries.
impl Parser<'_> {
    /// A query with ORDER BY, without CTEs and OPTION.
    pub(super) fn query(&mut self) -> Parsed<Query> {
        let body = self.query_body()?;
        let mut query = plain_query(body);
        if self.is_keyword(Keyword::Order) {
            query.order_by = self.order_by()?;
            if self.is_word("offset") {
                self.offset_fetch(&mut query)?;
            } else if self.is_fetch_of_rows() {
                let word = self.source(self.tokens[self.at + 1]).to_owned();
                return Err(error::option_of(&word, "FETCH", self.line()));
            }
        }
        query.for_clause = self.for_clause()?;
        Ok(query)
    }

    /// A query with all its clauses, as a statement.
    pub(super) fn full_query(&mut self, ctes: Vec<Cte>) -> Parsed<Query> {
        let mut query = self.query()?;
        query.ctes = ctes;
        query.options = self.options()?;
        Ok(query)
    }

    /// `FETCH NEXT n`, which is none of a cursor.
    fn is_fetch_of_rows(&self) -> bool {
        let is_word = self.is_word_at(1, "next") || self.is_word_at(1, "first");
        let is_count = matches!(self.kind_at(2), TokenKind::Integer | TokenKind::LeftParen | TokenKind::Variable);
        self.is_keyword(Keyword::Fetch) && is_word && is_count
    }

    fn offset_fetch(&mut self, query: &mut Query) -> Parsed<()> {
        self.bump();
        query.offset = Some(self.value()?);
        self.rows_word()?;
        if self.is_keyword(Keyword::Fetch) && (self.is_word_at(1, "next") || self.is_word_at(1, "first")) {
            self.at += 2;
            query.fetch = Some(self.value()?);
            self.rows_word()?;
            self.expect_word("only")?;
        }
        Ok(())
    }

    fn rows_word(&mut self) -> Parsed<()> {
        if self.eat_word("rows") { Ok(()) } else { self.expect_word("row") }
    }

    /// `FOR XML …`, `FOR JSON …`, `FOR BROWSE`. Other FORs belong to a cursor.
    fn for_clause(&mut self) -> Parsed<Option<ForClause>> {
        let format = if self.is_keyword_at(1, Keyword::Browse) {
            ForFormat::Browse
        } else if self.is_word_at(1, "xml") {
            ForFormat::Xml
        } else if self.is_word_at(1, "json") {
            ForFormat::Json
        } else {
            return Ok(None);
        };
        if !self.eat_keyword(Keyword::For) {
            return Ok(None);
        }
        self.bump();
        let options = if format == ForFormat::Browse { Vec::new() } else { self.comma_separated(Self::for_option)? };
        Ok(Some(ForClause { format, options }))
    }

    /// `PATH ('row')`, `ROOT`, `BINARY BASE64`: as written.
    fn for_option(&mut self) -> Parsed<String> {
        let first = self.at;
        self.ident()?;
        while self.is_name() {
            self.bump();
        }
        if self.kind() == TokenKind::LeftParen {
            self.skip_parentheses()?;
        }
        Ok(self.source_words(first))
    }

    /// `OPTION (hint, …)`, if there is one.
    pub(super) fn options(&mut self) -> Parsed<Vec<String>> {
        if !self.eat_keyword(Keyword::Option) {
            return Ok(Vec::new());
        }
        self.parenthesised(|parser| {
            let end = parser.end_of_item();
            if end == parser.at || !QUERY_HINTS.contains(&parser.upper().as_str()) {
                return Err(parser.unexpected());
            }
            Ok(parser.words_up_to(end))
        })
    }

    /// The place of the comma or closing parenthesis that ends what stands here.
    pub(super) fn end_of_item(&self) -> usize {
        let mut at = self.at;
        loop {
            let token = self.tokens[at];
            match token.kind {
                TokenKind::Comma | TokenKind::RightParen | TokenKind::Semicolon | TokenKind::End => return at,
                TokenKind::LeftParen if token.partner != 0 => at = token.partner as usize + 1,
                _ => at += 1,
            }
        }
    }

    fn query_body(&mut self) -> Parsed<QueryBody> {
        self.framed(|parser| {
            let first = parser.intersection()?;
            let mut rest = Vec::new();
            while let Some(op) = parser.eat_set_operator() {
                let all = parser.eat_keyword(Keyword::All);
                rest.push((op, all, parser.intersection()?));
            }
            parser.join_queries(first, rest)
        })
    }

    fn eat_set_operator(&mut self) -> Option<SetOperator> {
        if self.eat_keyword(Keyword::Union) {
            Some(SetOperator::Union)
        } else if self.eat_keyword(Keyword::Except) {
            Some(SetOperator::Except)
        } else {
            None
        }
    }

    /// INTERSECT binds tighter than the other two.
    fn intersection(&mut self) -> Parsed<QueryBody> {
        self.framed(|parser| {
            let mut left = parser.query_term()?;
            while parser.eat_keyword(Keyword::Intersect) {
                let right = parser.query_term()?;
                parser.grow(1)?;
                left = set_operation(SetOperator::Intersect, false, left, right);
            }
            Ok(left)
        })
    }

    fn query_term(&mut self) -> Parsed<QueryBody> {
        if self.kind() == TokenKind::LeftParen {
            return Ok(QueryBody::Nested(Box::new(self.parenthesised_query()?)));
        }
        Ok(QueryBody::Select(Box::new(self.select()?)))
    }

    /// From left to right. A long chain of one operator, UNION or UNION ALL, which are associative, is balanced.
    fn join_queries(&mut self, first: QueryBody, rest: Vec<(SetOperator, bool, QueryBody)>) -> Parsed<QueryBody> {
        let Some((op, all)) = rest.first().map(|(op, all, _)| (*op, *all)) else {
            return Ok(first);
        };
        let uniform = rest.iter().all(|item| (item.0, item.1) == (op, all));
        if rest.len() < CHAIN_AS_WRITTEN_MAX || !uniform || op != SetOperator::Union {
            self.grow(rest.len() as u32)?;
            return Ok(rest.into_iter().fold(first, |left, (op, all, right)| set_operation(op, all, left, right)));
        }
        let bodies: Vec<QueryBody> = std::iter::once(first).chain(rest.into_iter().map(|item| item.2)).collect();
        self.grow(bodies.len().ilog2() + 1)?;
        Ok(balanced_union(all, bodies))
    }

    /// `WITH name [(columns)] AS (query), …`
    pub(super) fn ctes(&mut self) -> Parsed<Vec<Cte>> {
        self.expect_keyword(Keyword::With)?;
        if self.is_word("xmlnamespaces") {
            self.bump();
            self.not_yet("WITH XMLNAMESPACES");
            self.skip_parentheses()?;
            if !self.eat(TokenKind::Comma) {
                return Ok(Vec::new());
            }
        }
        self.comma_separated(|parser| {
            let name = parser.ident()?;
            let columns = parser.column_list()?;
            parser.expect_keyword(Keyword::As)?;
            let query = parser.parenthesised_query()?;
            Ok(Cte { name, columns, query })
        })
    }

    /// `(a, b)`, or nothing.
    pub(super) fn column_list(&mut self) -> Parsed<Vec<Ident>> {
        if self.kind() == TokenKind::LeftParen { self.parenthesised(Self::ident) } else { Ok(Vec::new()) }
    }
}

/// One SELECT block.
impl Parser<'_> {
    fn select(&mut self) -> Parsed<Select> {
        let first = self.at;
        self.expect_keyword(Keyword::Select)?;
        let distinct = self.eat_keyword(Keyword::Distinct);
        if !distinct {
            self.eat_keyword(Keyword::All);
        }
        let top = self.top()?;
        let items = self.comma_separated(Self::select_item)?;
        let into = if self.eat_keyword(Keyword::Into) { Some(self.select_into()?) } else { None };
        let from = self.tables_of_from()?;
        let filter = self.where_clause()?;
        let group_by = self.group_by()?;
        let having = if self.eat_keyword(Keyword::Having) { Some(self.condition()?) } else { None };
        let windows = self.window_clause()?;
        let span = self.span_from(first);
        Ok(Select { distinct, top, items, into, from, filter, group_by, having, windows, span })
    }

    /// `WINDOW name AS (…), …`
    fn window_clause(&mut self) -> Parsed<Vec<(Ident, Over)>> {
        if !self.is_window_clause() {
            return Ok(Vec::new());
        }
        self.bump();
        self.comma_separated(|parser| {
            let name = parser.ident()?;
            parser.expect_keyword(Keyword::As)?;
            Ok((name, parser.nested(Self::window_specification)?))
        })
    }

    /// Whether a WINDOW clause begins here; the word is not reserved.
    pub(super) fn is_window_clause(&self) -> bool {
        self.is_word("window")
            && matches!(self.kind_at(1), TokenKind::Word | TokenKind::Quoted)
            && self.is_keyword_at(2, Keyword::As)
            && self.kind_at(3) == TokenKind::LeftParen
    }

    fn select_into(&mut self) -> Parsed<ObjectName> {
        let name = self.defined_name()?;
        if self.eat_keyword(Keyword::On) {
            self.ident()?;
        }
        Ok(name)
    }

    /// TOP of a change, which needs the parentheses.
    pub(super) fn top_of_change(&mut self) -> Parsed<Option<Top>> {
        if self.is_keyword(Keyword::Top) && self.kind_at(1) != TokenKind::LeftParen {
            self.bump();
            return Err(self.unexpected());
        }
        self.top()
    }

    /// `TOP n|(value) [PERCENT] [WITH TIES]`, if there is one. A variable needs the parentheses.
    pub(super) fn top(&mut self) -> Parsed<Option<Top>> {
        if !self.eat_keyword(Keyword::Top) {
            return Ok(None);
        }
        let count = match self.kind() {
            TokenKind::LeftParen if self.is_query_parenthesis_of_value() => {
                let line = self.line();
                let query = self.parenthesised_query()?;
                Expr { kind: ExprKind::Subquery(Box::new(query)), line }
            }
            TokenKind::LeftParen => {
                self.bump();
                let count = self.nested(Self::value)?;
                self.expect(TokenKind::RightParen)?;
                count
            }
            TokenKind::Integer | TokenKind::Decimal | TokenKind::Float => self.literal()?,
            _ => return Err(self.unexpected()),
        };
        let percent = self.eat_keyword(Keyword::Percent);
        let with_ties = self.is_keyword(Keyword::With) && self.is_word_at(1, "ties");
        if with_ties {
            self.at += 2;
        }
        Ok(Some(Top { count, percent, with_ties }))
    }

    pub(super) fn select_item(&mut self) -> Parsed<SelectItem> {
        if self.eat(TokenKind::Star) {
            return Ok(SelectItem::Wildcard);
        }
        if self.kind() == TokenKind::Variable && assign_operator(self.kind_at(1)).is_some() {
            if self.in_parenthesised_query {
                self.bump();
                return Err(self.unexpected());
            }
            return self.assignment().map(SelectItem::Assign);
        }
        if self.is_qualified_wildcard() {
            let name = self.object_name()?;
            self.at += 2;
            return Ok(SelectItem::QualifiedWildcard(name));
        }
        if self.kind_at(1) == TokenKind::Equal && (self.is_name() || self.is_string()) {
            let alias = Some(self.alias_name()?);
            self.bump();
            let expr = self.value()?;
            return Ok(SelectItem::Expr { expr, alias });
        }
        let expr = self.value()?;
        let alias = self.column_alias()?;
        Ok(SelectItem::Expr { expr, alias })
    }

    /// `name.*`, `schema.name.*`
    fn is_qualified_wildcard(&self) -> bool {
        let mut ahead = 0;
        while matches!(self.kind_at(ahead), TokenKind::Word | TokenKind::Quoted)
            && self.kind_at(ahead + 1) == TokenKind::Period
        {
            ahead += 2;
            while self.kind_at(ahead) == TokenKind::Period {
                ahead += 1;
            }
        }
        ahead > 0 && self.kind_at(ahead) == TokenKind::Star
    }

    /// `@v op= value`
    pub(super) fn assignment(&mut self) -> Parsed<Assignment> {
        let variable = self.variable()?;
        let op = self.assign_operator()?;
        let value = self.value()?;
        Ok(Assignment { variable, op, value })
    }

    pub(super) fn assign_operator(&mut self) -> Parsed<AssignOp> {
        let Some(op) = assign_operator(self.kind()) else {
            return Err(self.unexpected());
        };
        self.bump();
        Ok(op)
    }

    /// `[AS] name`, `[AS] 'name'`, if there is one.
    fn column_alias(&mut self) -> Parsed<Option<Ident>> {
        if self.eat_keyword(Keyword::As) || self.is_name() || self.is_string() {
            return self.alias_name().map(Some);
        }
        Ok(None)
    }

    fn alias_name(&mut self) -> Parsed<Ident> {
        let line = self.line();
        let name = self.ident_or_string()?;
        if name.is_empty() { Err(error::empty_name(line)) } else { Ok(name) }
    }

    /// `WHERE condition`, if there is one.
    pub(super) fn where_clause(&mut self) -> Parsed<Option<Expr>> {
        if self.eat_keyword(Keyword::Where) { Ok(Some(self.condition()?)) } else { Ok(None) }
    }

    fn group_by(&mut self) -> Parsed<Vec<GroupItem>> {
        if !self.eat_keyword(Keyword::Group) {
            return Ok(Vec::new());
        }
        self.expect_keyword(Keyword::By)?;
        if self.eat_keyword(Keyword::All) {
            self.not_yet("GROUP BY ALL");
        }
        let items = self.comma_separated(Self::group_item)?;
        let cube = self.is_word_at(1, "cube");
        if !self.is_keyword(Keyword::With) || !(cube || self.is_word_at(1, "rollup")) {
            return Ok(items);
        }
        self.at += 2;
        let mut groups = Vec::with_capacity(items.len());
        for item in items {
            match item {
                GroupItem::Expr(expr) => groups.push(vec![expr]),
                _ => return Err(self.unexpected_at(self.at - 1)),
            }
        }
        Ok(vec![if cube { GroupItem::Cube(groups) } else { GroupItem::Rollup(groups) }])
    }

    fn group_item(&mut self) -> Parsed<GroupItem> {
        let open = self.kind_at(1) == TokenKind::LeftParen;
        if self.kind() == TokenKind::LeftParen && self.kind_at(1) == TokenKind::RightParen {
            self.at += 2;
            return Ok(GroupItem::Total);
        }
        if self.is_word("grouping") && self.is_word_at(1, "sets") {
            self.at += 2;
            let sets = self.nested(|parser| parser.parenthesised(Self::grouping_set))?;
            return Ok(GroupItem::Sets(sets));
        }
        if open && self.eat_word("rollup") {
            return self.nested(|parser| parser.parenthesised(Self::grouped_values)).map(GroupItem::Rollup);
        }
        if open && self.eat_word("cube") {
            return self.nested(|parser| parser.parenthesised(Self::grouped_values)).map(GroupItem::Cube);
        }
        self.value().map(GroupItem::Expr)
    }

    /// One set of GROUPING SETS: an item, or a list of items in parentheses.
    fn grouping_set(&mut self) -> Parsed<Vec<GroupItem>> {
        if self.is_list_parenthesis() {
            return self.nested(|parser| parser.parenthesised(Self::group_item));
        }
        self.group_item().map(|item| vec![item])
    }

    /// One item of ROLLUP or CUBE: a value, or a list of values in parentheses.
    fn grouped_values(&mut self) -> Parsed<Vec<Expr>> {
        if self.is_list_parenthesis() {
            return self.nested(|parser| parser.parenthesised(Self::value));
        }
        self.value().map(|value| vec![value])
    }

    /// Whether the parenthesis here encloses the whole item, and something.
    fn is_list_parenthesis(&self) -> bool {
        let partner = self.token().partner as usize;
        self.kind() == TokenKind::LeftParen
            && partner > self.at + 1
            && matches!(self.tokens[partner + 1].kind, TokenKind::Comma | TokenKind::RightParen)
    }

    /// `VALUES (…), (…)`
    pub(super) fn values_rows(&mut self) -> Parsed<Vec<Vec<Expr>>> {
        self.expect_keyword(Keyword::Values)?;
        self.comma_separated(|parser| parser.nested(|parser| parser.parenthesised(Self::argument)))
    }
}

/// A query without clauses around its body.
pub(super) fn plain_query(body: QueryBody) -> Query {
    Query {
        ctes: Vec::new(),
        body,
        order_by: Vec::new(),
        offset: None,
        fetch: None,
        for_clause: None,
        options: Vec::new(),
    }
}

fn set_operation(op: SetOperator, all: bool, left: QueryBody, right: QueryBody) -> QueryBody {
    QueryBody::SetOperation { op, all, left: Box::new(left), right: Box::new(right) }
}

fn balanced_union(all: bool, mut bodies: Vec<QueryBody>) -> QueryBody {
    if bodies.len() == 1 {
        return bodies.remove(0);
    }
    let right = bodies.split_off(bodies.len().div_ceil(2));
    set_operation(SetOperator::Union, all, balanced_union(all, bodies), balanced_union(all, right))
}

pub(super) fn assign_operator(kind: TokenKind) -> Option<AssignOp> {
    Some(match kind {
        TokenKind::Equal => AssignOp::Set,
        TokenKind::PlusEqual => AssignOp::Add,
        TokenKind::MinusEqual => AssignOp::Subtract,
        TokenKind::StarEqual => AssignOp::Multiply,
        TokenKind::SlashEqual => AssignOp::Divide,
        TokenKind::PercentEqual => AssignOp::Modulo,
        TokenKind::AmpersandEqual => AssignOp::BitAnd,
        TokenKind::PipeEqual => AssignOp::BitOr,
        TokenKind::CaretEqual => AssignOp::BitXor,
        _ => return None,
    })
}
