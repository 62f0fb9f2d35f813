//! The functions.

use std::cmp::Ordering;

use crate::document::ROOT;
use crate::xquery::ast::Arithmetic;
use crate::xquery::ast::{Expr, Function};
use crate::xquery::atom::Atom;
use crate::xquery::decimal::Decimal;
use crate::xquery::run::{Item, Run, Running, Sequence, arithmetic};

impl Run<'_, '_> {
    pub(super) fn call(&mut self, function: Function, args: &[Expr]) -> Running<Sequence> {
        use Function as F;
        let atom = match function {
            F::True => Some(Atom::Boolean(true)),
            F::False => Some(Atom::Boolean(false)),
            F::Not => Some(Atom::Boolean(!self.truth(&args[0])?)),
            F::Position => Some(count(self.focus.position)),
            F::Last => Some(count(self.focus.size)),
            F::Count => Some(count(self.eval(&args[0])?.len())),
            F::Empty => Some(Atom::Boolean(self.eval(&args[0])?.is_empty())),
            F::Exists => Some(Atom::Boolean(!self.eval(&args[0])?.is_empty())),
            F::Data => return Ok(self.values(&args[0])?.into_iter().map(Item::Atom).collect()),
            F::DistinctValues => return self.distinct(&args[0]),
            F::Sum | F::Avg => self.sum(&args[0], function == F::Avg)?,
            F::Min => self.extreme(&args[0], Ordering::Less)?,
            F::Max => self.extreme(&args[0], Ordering::Greater)?,
            F::LocalName | F::NamespaceUri => self.name(args, function == F::NamespaceUri)?,
            F::Number => self.operand(args)?.and_then(|atom| atom.number()).map(Atom::Double),
            F::Round | F::Floor | F::Ceiling => self.operand(args)?.and_then(|atom| rounded(function, &atom)),
            F::String | F::StringLength | F::LowerCase | F::UpperCase => {
                let text = self.operand(args)?.map_or(String::new(), |atom| atom.text());
                self.take(text.len())?;
                Some(match function {
                    F::StringLength => count(text.encode_utf16().count()),
                    F::LowerCase => Atom::String(text.to_lowercase()),
                    F::UpperCase => Atom::String(text.to_uppercase()),
                    _ => Atom::String(text),
                })
            }
            F::Concat => {
                let mut text = String::new();
                for arg in args {
                    if let Some(atom) = self.value(arg)? {
                        let part = atom.text();
                        self.take(part.len())?;
                        text.push_str(&part);
                    }
                }
                Some(Atom::String(text))
            }
            F::Contains => {
                let text = self.value(&args[0])?.map_or(String::new(), |atom| atom.text());
                let part = self.value(&args[1])?.map_or(String::new(), |atom| atom.text());
                Some(Atom::Boolean(text.contains(&part)))
            }
            F::Substring => self.substring(args)?,
        };
        Ok(atom.map(Item::Atom).into_iter().collect())
    }

    /// The argument, or the context where there is none.
    fn operand(&mut self, args: &[Expr]) -> Running<Option<Atom>> {
        match args.first() {
            Some(arg) => self.value(arg),
            None => Ok(Some(self.atomise(&self.focus.item.clone()))),
        }
    }

    fn distinct(&mut self, arg: &Expr) -> Running<Sequence> {
        let mut kept: Vec<Atom> = Vec::new();
        let mut texts = std::collections::HashSet::new();
        for atom in self.values(arg)? {
            self.step()?;
            let is_new = match &atom {
                // Most are texts, which a set knows.
                Atom::String(text) | Atom::Untyped(text) => texts.insert(text.clone()),
                other => !kept.iter().any(|known| known.order(other) == Some(Ordering::Equal)),
            };
            if is_new {
                kept.push(atom);
            }
        }
        Ok(kept.into_iter().map(Item::Atom).collect())
    }

    fn sum(&mut self, arg: &Expr, is_average: bool) -> Running<Option<Atom>> {
        let values = self.values(arg)?;
        if values.is_empty() {
            return Ok(if is_average { None } else { Some(Atom::integer(0)) });
        }
        let number = values.len();
        let mut sum = None;
        for value in values {
            self.step()?;
            let value = match value {
                Atom::String(_) | Atom::Untyped(_) => match value.number() {
                    Some(number) => Atom::Double(number),
                    None => return Ok(None),
                },
                value => value,
            };
            sum = match sum {
                None => Some(value),
                Some(before) => arithmetic(Arithmetic::Add, &before, &value),
            };
            if sum.is_none() {
                return Ok(None);
            }
        }
        Ok(sum
            .and_then(|sum| if is_average { arithmetic(Arithmetic::Divide, &sum, &count(number)) } else { Some(sum) }))
    }

    /// The least or greatest value; untyped ones are numbers.
    fn extreme(&mut self, arg: &Expr, wanted: Ordering) -> Running<Option<Atom>> {
        let mut best: Option<Atom> = None;
        for value in self.values(arg)? {
            self.step()?;
            let value = match value {
                Atom::Untyped(_) => match value.number() {
                    Some(number) => Atom::Double(number),
                    None => return Ok(None),
                },
                value => value,
            };
            if best.as_ref().is_none_or(|best| value.order(best) == Some(wanted)) {
                best = Some(value);
            }
        }
        Ok(best)
    }

    fn name(&mut self, args: &[Expr], is_uri: bool) -> Running<Option<Atom>> {
        let item = match args.first() {
            Some(arg) => self.eval(arg)?.into_iter().next(),
            None => Some(self.focus.item.clone()),
        };
        let text = match item {
            Some(Item::Node { made, id }) => match (self.tree(made).name(id), self.tree(made).kind(id)) {
                (Some(name), _) if is_uri => name.uri.to_string(),
                (Some(name), _) => name.local.to_string(),
                (None, crate::document::Kind::Instruction(target, _)) if !is_uri && id != ROOT => target.to_string(),
                _ => String::new(),
            },
            _ => String::new(),
        };
        Ok(Some(Atom::String(text)))
    }

    /// Characters from a rounded position on, a rounded number of them. What lies outside of the text is passed over.
    fn substring(&mut self, args: &[Expr]) -> Running<Option<Atom>> {
        let text = self.value(&args[0])?.map_or(String::new(), |atom| atom.text());
        self.take(text.len())?;
        let mut bounds = [0.0, f64::INFINITY];
        for (bound, arg) in bounds.iter_mut().zip(&args[1..]) {
            let Some(number) = self.value(arg)?.and_then(|atom| atom.number()) else { return Ok(None) };
            *bound = (number + 0.5).floor();
        }
        let [first, length] = bounds;
        let part = text.chars().zip(1u32..).filter(|(_, place)| {
            let place = f64::from(*place);
            place >= first && place < first + length
        });
        Ok(Some(Atom::String(part.map(|(c, _)| c).collect())))
    }
}

fn count(number: usize) -> Atom {
    Atom::integer(i64::try_from(number).unwrap_or(i64::MAX))
}

fn rounded(function: Function, atom: &Atom) -> Option<Atom> {
    let of = |number: Decimal| match function {
        Function::Round => number.round(),
        Function::Floor => number.floor(),
        _ => number.negate().floor().negate(),
    };
    Some(match atom {
        Atom::Integer(number) => Atom::Integer(*number),
        Atom::Decimal(number) => Atom::Decimal(of(*number)),
        other => {
            let number = other.number()?;
            Atom::Double(match function {
                Function::Round => (number + 0.5).floor(),
                Function::Floor => number.floor(),
                _ => number.ceil(),
            })
        }
    })
}
