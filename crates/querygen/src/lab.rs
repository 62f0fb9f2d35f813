//! Engines with the tables of a schema in each, made when a road asks for them.

use crate::node::{Node, Writer, pattern, text};
use crate::schema::Schema;
use crate::world::{Outcome, Settings, World};

/// Which of the same tables a statement uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tables {
    /// Those of the schema, with their indexes.
    Usual,
    /// Heaps without any index.
    Bare,
    /// Temporary ones, with indexes.
    Temporary,
    /// Variables, with their key.
    Variables,
}

/// A way to run a query that may not change its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Road {
    /// Another engine.
    Settings(Settings),
    /// Other tables.
    Tables(Tables),
    /// Constants as variables.
    Parameters,
    /// Each condition negated twice.
    Negated,
    /// Each condition or a false one that no plan can know.
    Loosened,
    /// Each value inside a CASE that no plan can know.
    Cased,
}

impl Road {
    /// All roads beside the first.
    pub const ALL: [Road; 10] = [
        Road::Settings(Settings::Usual),
        Road::Settings(Settings::Parallel),
        Road::Settings(Settings::Tight),
        Road::Tables(Tables::Bare),
        Road::Tables(Tables::Temporary),
        Road::Tables(Tables::Variables),
        Road::Parameters,
        Road::Negated,
        Road::Loosened,
        Road::Cased,
    ];

    /// The engine of the road.
    #[must_use]
    pub fn settings(self) -> Settings {
        match self {
            Road::Settings(settings) => settings,
            _ => Settings::Usual,
        }
    }

    /// The tables of the road.
    #[must_use]
    pub fn tables(self) -> Tables {
        match self {
            Road::Tables(tables) => tables,
            _ => Tables::Usual,
        }
    }

    /// The batch that asks a query by this road.
    #[must_use]
    pub fn batch(self, query: &Node, schema: &Schema) -> String {
        match self {
            Road::Settings(_) => query.plain(),
            Road::Tables(Tables::Variables) => {
                let mut names = Vec::new();
                query.tables(&mut names);
                let prelude = declarations(schema, &names);
                format!("{prelude}{}", query.write(&mut Renamed(Tables::Variables)))
            }
            Road::Tables(tables) => query.write(&mut Renamed(tables)),
            Road::Parameters => {
                let mut writer = AsVariables::default();
                let batch = query.write(&mut writer);
                let declared =
                    writer.found.iter().zip(1..).map(|((text, sql), at)| format!("declare @p{at} {sql} = {text}; "));
                format!("{}{batch}", declared.collect::<String>())
            }
            Road::Negated => wrapped(query, &|node| match node {
                Node::Condition(_) => Some("not (not ({}))"),
                _ => None,
            })
            .plain(),
            Road::Loosened => {
                let query = wrapped(query, &|node| match node {
                    Node::Condition(_) => Some("({} or @z = 1)"),
                    _ => None,
                });
                format!("declare @z int = 0; {}", query.plain())
            }
            Road::Cased => {
                let query = wrapped(query, &|node| match node {
                    Node::Value(..) => Some("case when @z = 0 then {} end"),
                    _ => None,
                });
                format!("declare @z int = 0; {}", query.plain())
            }
        }
    }
}

/// Table variables with the rows of the tables of these names.
fn declarations(schema: &Schema, names: &[String]) -> String {
    let mut prelude = String::from("set nocount on; ");
    for table in schema.tables.iter().filter(|table| names.contains(&table.name)) {
        let columns: Vec<&str> = table.stored().map(|column| column.name.as_str()).collect();
        let (name, columns) = (&table.name, columns.join(", "));
        prelude.push_str(&format!("declare @{name} table ({}); ", table.definition(true)));
        prelude.push_str(&format!("insert @{name} ({columns}) select {columns} from {name}; "));
    }
    prelude + "set nocount off; "
}

/// Writes tables by the names of another kind.
pub struct Renamed(pub Tables);

impl Writer for Renamed {
    fn constant(&mut self, text: &str, _sql: &str) -> String {
        text.to_owned()
    }

    fn table(&mut self, name: &str) -> String {
        self.0.name(name)
    }
}

impl Tables {
    /// The name of a table among these.
    #[must_use]
    pub fn name(self, name: &str) -> String {
        match self {
            Tables::Usual => name.to_owned(),
            Tables::Bare => format!("bare_{name}"),
            Tables::Temporary => format!("#{name}"),
            Tables::Variables => format!("@{name}"),
        }
    }
}

#[derive(Default)]
struct AsVariables {
    found: Vec<(String, String)>,
}

impl Writer for AsVariables {
    fn constant(&mut self, text: &str, sql: &str) -> String {
        let pair = (text.to_owned(), sql.to_owned());
        let at = self.found.iter().position(|found| *found == pair).unwrap_or_else(|| {
            self.found.push(pair);
            self.found.len() - 1
        });
        format!("@p{}", at + 1)
    }

    fn table(&mut self, name: &str) -> String {
        name.to_owned()
    }
}

/// The tree with each node that has a pattern inside that pattern.
fn wrapped(node: &Node, with: &dyn Fn(&Node) -> Option<&'static str>) -> Node {
    let inside = |body: &Node| Box::new(wrapped(body, with));
    let copy = match node {
        Node::Text(_) | Node::Constant { .. } | Node::Table(_) => node.clone(),
        Node::Seq(parts) => Node::Seq(parts.iter().map(|part| wrapped(part, with)).collect()),
        Node::List { items, separator, least } => {
            Node::List { items: items.iter().map(|item| wrapped(item, with)).collect(), separator, least: *least }
        }
        Node::Value(family, body) => Node::Value(*family, inside(body)),
        Node::Condition(body) => Node::Condition(inside(body)),
        Node::Source(body) => Node::Source(inside(body)),
        Node::Query(body) => Node::Query(inside(body)),
        Node::Optional(body) => Node::Optional(inside(body)),
    };
    match with(node) {
        Some(around) => pattern(around, vec![copy]),
        None => copy,
    }
}

/// Engines and what is in them.
#[derive(Default)]
pub struct Lab {
    worlds: Vec<World>,
    /// Which engine has which tables of the schema.
    loaded: Vec<(Settings, Tables)>,
    schema: Schema,
    /// Batches that were run.
    pub batches: u64,
}

/// The tables could not be made: the outcome says why, the text by which statement.
#[derive(Debug)]
pub struct NotLoaded {
    /// What was said.
    pub outcome: Outcome,
    /// To which statement.
    pub batch: String,
}

const LEFT_BEHIND: usize = 5;

impl Lab {
    /// From now on statements meet these tables.
    pub fn set_schema(&mut self, schema: &Schema) {
        self.schema = schema.clone();
        self.loaded.clear();
    }

    /// What an engine says, after its tables were made.
    ///
    /// # Errors
    /// The tables could not be made.
    pub fn run(&mut self, settings: Settings, tables: Tables, batch: &str) -> Result<Outcome, Box<NotLoaded>> {
        // Variables are filled from the usual tables.
        let tables = if tables == Tables::Variables { Tables::Usual } else { tables };
        if !self.loaded.contains(&(settings, tables)) {
            self.load(settings, tables)?;
        }
        Ok(self.ask(settings, batch))
    }

    fn ask(&mut self, settings: Settings, batch: &str) -> Outcome {
        self.batches += 1;
        let at = self.worlds.iter().position(|world| world.settings == settings).unwrap_or_else(|| {
            self.worlds.push(World::new(settings));
            self.worlds.len() - 1
        });
        let outcome = self.worlds[at].run(batch);
        if outcome.panic.is_some() {
            // What it left in memory is not to be believed.
            std::mem::forget(self.worlds.remove(at));
            self.loaded.retain(|(of, _)| *of != settings);
        }
        outcome
    }

    fn load(&mut self, settings: Settings, tables: Tables) -> Result<(), Box<NotLoaded>> {
        self.ask(settings, "if @@trancount > 0 rollback");
        for at in 0..LEFT_BEHIND {
            if tables == Tables::Usual {
                self.ask(settings, &format!("drop view if exists v{at}"));
            }
            self.ask(settings, &format!("drop table if exists {}", tables.name(&format!("t{at}"))));
        }
        for batch in self.schema.clone().script(tables) {
            let outcome = self.ask(settings, &batch);
            if outcome.error() != 0 || outcome.panic.is_some() || outcome.is_late {
                return Err(Box::new(NotLoaded { outcome, batch }));
            }
        }
        self.loaded.push((settings, tables));
        Ok(())
    }
}

impl Schema {
    /// The batches that make it.
    #[must_use]
    pub fn script(&self, tables: Tables) -> Vec<String> {
        let mut batches = Vec::new();
        for table in &self.tables {
            batches.extend(table.batches(&tables.name(&table.name), tables != Tables::Bare));
        }
        for view in self.views.iter().filter(|_| tables == Tables::Usual) {
            batches.push(pattern(&format!("create view {} as {{}}", view.name), vec![view.query.clone()]).plain());
        }
        batches
    }

    /// Whether a query names a view.
    #[must_use]
    pub fn names_view(&self, query: &Node) -> bool {
        let mut names = Vec::new();
        query.tables(&mut names);
        self.views.iter().any(|view| names.contains(&view.name))
    }
}

/// Nothing, where a part may be missing.
#[must_use]
pub fn nothing() -> Node {
    text("")
}
