//! Calls: functions, CASE, CAST and CONVERT, and the window clauses after a call.

use super::Parser;
use crate::ast::{Expr, ExprKind, Frame, FrameBound, FunctionCall, Ident, ObjectName, OrderItem, Over};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::token::TokenKind;

impl Parser<'_> {
    /// `name(args) [WITHIN GROUP (…)] [OVER (…)]`; the name is read.
    pub(super) fn function_call(&mut self, name: ObjectName, line: u32) -> Parsed<Expr> {
        self.expect(TokenKind::LeftParen)?;
        let is_trim = matches!(name.parts.as_slice(), [name] if name.eq_ignore_ascii_case("trim"));
        let mut call = plain_call(name, Vec::new());
        if is_trim && let Some(sided) = self.trimmed_side() {
            return self.sided_trim(sided, line);
        }
        if self.kind() == TokenKind::Star && self.kind_at(1) == TokenKind::RightParen {
            self.bump();
            call.star = true;
        } else if self.kind() != TokenKind::RightParen {
            call.distinct = self.eat_keyword(Keyword::Distinct);
            if !call.distinct {
                self.eat_keyword(Keyword::All);
            }
            call.args = self.comma_separated(Self::argument)?;
            // TRIM(characters FROM string) is a call with two arguments.
            if is_trim && self.eat_keyword(Keyword::From) {
                call.args.push(self.value()?);
            }
        }
        self.expect(TokenKind::RightParen)?;
        self.after_call(&mut call)?;
        Ok(Expr { kind: ExprKind::Function(Box::new(call)), line })
    }

    /// The function that `LEADING`, `TRAILING` or `BOTH` in TRIM means; a name is followed by what follows a value.
    fn trimmed_side(&self) -> Option<&'static str> {
        let side = match () {
            () if self.is_word("leading") => "LTRIM",
            () if self.is_word("trailing") => "RTRIM",
            () if self.is_word("both") => "TRIM",
            () => return None,
        };
        let begins = match self.kind_at(1) {
            TokenKind::Word
            | TokenKind::Quoted
            | TokenKind::String
            | TokenKind::NationalString
            | TokenKind::Variable
            | TokenKind::LeftParen => true,
            TokenKind::Keyword(keyword) => !matches!(keyword, Keyword::From | Keyword::Collate),
            _ => false,
        };
        begins.then_some(side)
    }

    /// `LEADING|TRAILING|BOTH [characters FROM] string )`: a call of LTRIM, RTRIM or TRIM.
    fn sided_trim(&mut self, function: &str, line: u32) -> Parsed<Expr> {
        self.bump();
        let mut args = vec![self.value()?];
        if self.eat_keyword(Keyword::From) {
            let string = self.value()?;
            // TRIM has the characters first, as it is written; the others have them second.
            args.insert(usize::from(function == "TRIM"), string);
        }
        self.expect(TokenKind::RightParen)?;
        Ok(self.call(function, args, line))
    }

    /// A function's argument.
    pub(super) fn argument(&mut self) -> Parsed<Expr> {
        if self.is_keyword(Keyword::Default) {
            let line = self.bump().line;
            return Ok(Expr { kind: ExprKind::Default, line });
        }
        self.value()
    }

    /// A call whose name is a reserved word: `LEFT(x, 1)`.
    pub(super) fn keyword_call(&mut self) -> Parsed<Expr> {
        let token = self.bump();
        let name = ObjectName { parts: vec![self.source(token).to_owned()] };
        self.nested(|parser| parser.function_call(name, token.line))
    }

    /// A call without clauses after it.
    pub(super) fn call(&self, name: &str, args: Vec<Expr>, line: u32) -> Expr {
        call_of(name, args, line)
    }

    fn after_call(&mut self, call: &mut FunctionCall) -> Parsed<()> {
        if self.is_word("within") && self.is_keyword_at(1, Keyword::Group) {
            self.at += 2;
            self.expect(TokenKind::LeftParen)?;
            call.within_group = self.order_by()?;
            self.expect(TokenKind::RightParen)?;
        }
        if (self.is_word("ignore") || self.is_word("respect")) && self.is_word_at(1, "nulls") {
            call.ignore_nulls = self.is_word("ignore");
            self.at += 2;
        }
        if self.eat_keyword(Keyword::Over) {
            call.over = Some(self.over()?);
        }
        Ok(())
    }

    fn over(&mut self) -> Parsed<Over> {
        if self.is_name() {
            let base = Some(self.ident()?);
            return Ok(Over { base, partition_by: Vec::new(), order_by: Vec::new(), frame: None });
        }
        // A name alone stands without parentheses, and a frame is of an order or a partition.
        let is_name = matches!(self.kind_at(1), TokenKind::Word | TokenKind::Quoted);
        if is_name && self.kind_at(2) == TokenKind::RightParen {
            self.at += 2;
            return Err(self.unexpected());
        }
        if self.is_word_at(1, "rows") || self.is_word_at(1, "range") {
            self.at += 1;
            return Err(self.unexpected());
        }
        self.window_specification()
    }

    /// `([name] [PARTITION BY …] [ORDER BY …] [frame])`
    pub(super) fn window_specification(&mut self) -> Parsed<Over> {
        let mut over = Over { base: None, partition_by: Vec::new(), order_by: Vec::new(), frame: None };
        self.expect(TokenKind::LeftParen)?;
        let is_clause = self.is_word("partition") && self.is_keyword_at(1, Keyword::By)
            || self.is_word("rows")
            || self.is_word("range");
        if self.is_name() && !is_clause {
            over.base = Some(self.ident()?);
        }
        if self.eat_word("partition") {
            self.expect_keyword(Keyword::By)?;
            over.partition_by = self.comma_separated(Self::value)?;
        }
        if self.is_keyword(Keyword::Order) {
            over.order_by = self.order_by()?;
        }
        if self.is_word("rows") || self.is_word("range") {
            over.frame = Some(self.frame()?);
        }
        self.expect(TokenKind::RightParen)?;
        Ok(over)
    }

    /// `ROWS|RANGE bound`, `ROWS|RANGE BETWEEN bound AND bound`
    fn frame(&mut self) -> Parsed<Frame> {
        let range = self.is_word("range");
        self.bump();
        let between = self.eat_keyword(Keyword::Between);
        let start = self.frame_bound()?;
        let end = if between {
            self.expect_keyword(Keyword::And)?;
            self.frame_bound()?
        } else {
            FrameBound::CurrentRow
        };
        Ok(Frame { range, start, end })
    }

    fn frame_bound(&mut self) -> Parsed<FrameBound> {
        if self.eat_keyword(Keyword::Current) {
            self.expect_word("row")?;
            return Ok(FrameBound::CurrentRow);
        }
        let count = if self.eat_word("unbounded") { None } else { Some(self.unsigned::<u64>()?) };
        let following = self.eat_word("following");
        if !following {
            self.expect_word("preceding")?;
        }
        Ok(match (count, following) {
            (None, false) => FrameBound::UnboundedPreceding,
            (None, true) => FrameBound::UnboundedFollowing,
            (Some(rows), false) => FrameBound::Preceding(rows),
            (Some(rows), true) => FrameBound::Following(rows),
        })
    }

    /// `ORDER BY item, …`
    pub(super) fn order_by(&mut self) -> Parsed<Vec<OrderItem>> {
        self.expect_keyword(Keyword::Order)?;
        self.expect_keyword(Keyword::By)?;
        self.comma_separated(|parser| {
            let expr = parser.value()?;
            let descending = parser.eat_keyword(Keyword::Desc);
            if !descending {
                parser.eat_keyword(Keyword::Asc);
            }
            Ok(OrderItem { expr, descending })
        })
    }
}

/// Forms that look like a call and have a grammar of their own.
impl Parser<'_> {
    /// Nothing is taken when the name is an ordinary one. `IIF` takes a condition; the others only values.
    pub(super) fn special_call(&mut self) -> Parsed<Option<Expr>> {
        let line = self.line();
        if self.is_word("next") {
            return self.next_value(line);
        }
        if self.kind_at(1) == TokenKind::DoubleColon {
            return self.static_method(line).map(Some);
        }
        let token = self.token();
        if token.kind != TokenKind::Word {
            return Ok(None);
        }
        let name = self.source(token);
        if name.eq_ignore_ascii_case("cast") || name.eq_ignore_ascii_case("try_cast") {
            self.bump();
            return self.cast(name.len() > "cast".len(), line).map(Some);
        }
        if name.eq_ignore_ascii_case("iif") {
            self.bump();
            return self.iif(name, line).map(Some);
        }
        if name.eq_ignore_ascii_case("parse") || name.eq_ignore_ascii_case("try_parse") {
            self.bump();
            return self.parse_call(line).map(Some);
        }
        Ok(None)
    }

    /// `CAST(value AS type)`
    fn cast(&mut self, try_: bool, line: u32) -> Parsed<Expr> {
        self.expect(TokenKind::LeftParen)?;
        let expr = Box::new(self.value()?);
        self.expect_keyword(Keyword::As)?;
        let data_type = self.data_type()?;
        self.expect(TokenKind::RightParen)?;
        Ok(Expr { kind: ExprKind::Cast { expr, data_type, style: None, try_ }, line })
    }

    /// `CONVERT(type, value [, style])`
    pub(super) fn convert(&mut self) -> Parsed<Expr> {
        let try_ = self.is_keyword(Keyword::TryConvert);
        let line = self.bump().line;
        self.expect(TokenKind::LeftParen)?;
        let data_type = self.data_type()?;
        self.expect(TokenKind::Comma)?;
        let expr = Box::new(self.value()?);
        let style = if self.eat(TokenKind::Comma) { Some(Box::new(self.value()?)) } else { None };
        self.expect(TokenKind::RightParen)?;
        Ok(Expr { kind: ExprKind::Cast { expr, data_type, style, try_ }, line })
    }

    /// `IIF(condition, value, value)`
    fn iif(&mut self, name: &str, line: u32) -> Parsed<Expr> {
        self.expect(TokenKind::LeftParen)?;
        let condition = self.condition()?;
        self.expect(TokenKind::Comma)?;
        let yes = self.value()?;
        self.expect(TokenKind::Comma)?;
        let no = self.value()?;
        self.expect(TokenKind::RightParen)?;
        Ok(self.call(name, vec![condition, yes, no], line))
    }

    /// `PARSE(value AS type [USING culture])`
    fn parse_call(&mut self, line: u32) -> Parsed<Expr> {
        self.expect(TokenKind::LeftParen)?;
        let value = self.value()?;
        self.expect_keyword(Keyword::As)?;
        self.data_type()?;
        if self.eat_word("using") {
            self.value()?;
        }
        self.expect(TokenKind::RightParen)?;
        self.not_yet("PARSE");
        Ok(self.call("PARSE", vec![value], line))
    }

    /// `NEXT VALUE FOR sequence [OVER (…)]`
    fn next_value(&mut self, line: u32) -> Parsed<Option<Expr>> {
        if !self.is_word_at(1, "value") || !self.is_keyword_at(2, Keyword::For) {
            return Ok(None);
        }
        self.at += 3;
        let sequence = self.defined_name()?;
        let over = if self.eat_keyword(Keyword::Over) { Some(Box::new(self.over()?)) } else { None };
        Ok(Some(Expr { kind: ExprKind::NextValue { sequence, over }, line }))
    }

    /// `geometry::Point(1, 2, 0)`
    fn static_method(&mut self, line: u32) -> Parsed<Expr> {
        let type_name: Ident = self.ident()?;
        self.expect(TokenKind::DoubleColon)?;
        let method = self.ident()?;
        self.not_yet("static method of a type");
        let name = ObjectName { parts: vec![format!("{type_name}::{method}")] };
        if self.kind() == TokenKind::LeftParen {
            return self.function_call(name, line);
        }
        Ok(Expr { kind: ExprKind::Column(name), line })
    }

    /// `CASE [operand] WHEN … THEN … [ELSE …] END`
    pub(super) fn case(&mut self) -> Parsed<Expr> {
        let line = self.expect_keyword(Keyword::Case)?.line;
        let operand = if self.is_keyword(Keyword::When) { None } else { Some(Box::new(self.value()?)) };
        let mut branches = Vec::new();
        while branches.is_empty() || self.is_keyword(Keyword::When) {
            self.expect_keyword(Keyword::When)?;
            let when = if operand.is_some() { self.value()? } else { self.condition()? };
            self.expect_keyword(Keyword::Then)?;
            branches.push((when, self.value()?));
        }
        let otherwise = if self.eat_keyword(Keyword::Else) { Some(Box::new(self.value()?)) } else { None };
        self.expect_keyword(Keyword::End)?;
        Ok(Expr { kind: ExprKind::Case { operand, branches, otherwise }, line })
    }
}

fn plain_call(name: ObjectName, args: Vec<Expr>) -> FunctionCall {
    FunctionCall { name, args, star: false, distinct: false, over: None, within_group: Vec::new(), ignore_nulls: false }
}

/// A call of a function without clauses after it.
pub(super) fn call_of(name: &str, args: Vec<Expr>, line: u32) -> Expr {
    let call = plain_call(ObjectName { parts: vec![name.to_owned()] }, args);
    Expr { kind: ExprKind::Function(Box::new(call)), line }
}
