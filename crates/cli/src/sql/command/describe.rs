//! What an object is, out of the catalog's views: columns or parameters, keys, indexes, checks, triggers.
//!
//! What always holds: a name is asked for as a string of T-SQL, with its quotes doubled, so that none is run; what an object has not is
//! left out. Asks views alone that SQL Server has too.

use millpond_types::format::to_display;

use super::super::gathered::{Gathered, Table};
use super::super::scan::{Kind, Open, scan};
use super::super::target::Target;

/// Title and table of each part.
///
/// # Errors
/// That there is no such object, or what the server says.
pub fn describe(target: &mut dyn Target, name: &str) -> Result<Vec<(String, Table)>, String> {
    let database = database_of(name);
    let found = Gathered::of(target, &found(name, &database))?;
    let texts = |table: &Table| -> Vec<String> {
        let row = table.rows.first().into_iter().flatten().zip(&table.columns);
        row.map(|(value, column)| to_display(value, &column.sql_type)).collect()
    };
    let of_object = found.first().map(texts).unwrap_or_default();
    let [id, object, kind, of] = &of_object[..] else {
        return Err(format!("there is no object '{name}' here, or none that this login may see"));
    };
    if !of.is_empty() {
        // A synonym is what it stands for.
        let mut parts = describe(target, of)?;
        if let Some((title, _)) = parts.first_mut() {
            title.insert_str(0, &format!("{object} is a synonym of {of}\n"));
        }
        return Ok(parts);
    }
    let mut parts = Vec::new();
    for (title, text) in PARTS {
        let text = text.replace("$db", &database).replace("$id", id);
        let table = Gathered::of(target, &text)?.into_iter().next().unwrap_or_default();
        if !table.rows.is_empty() {
            let title = if parts.is_empty() { format!("{object}, {kind}") } else { (*title).to_owned() };
            parts.push((title, table));
        }
    }
    match parts.is_empty() {
        true => Err(format!("{object}, {kind}, has neither columns nor parameters")),
        false => Ok(parts),
    }
}

/// What stands before `sys.`: the database of a name of three parts, or that of temporary tables.
fn database_of(name: &str) -> String {
    let (pieces, _) = scan(name.trim(), Open::Nothing);
    let texts: Vec<&str> = pieces.iter().map(|piece| &name.trim()[piece.start..piece.end]).collect();
    let points = pieces.iter().zip(&texts).filter(|(piece, text)| piece.kind == Kind::Sign && **text == ".").count();
    match (texts.first(), points) {
        (Some(database), 2) if *database != "." => format!("{database}."),
        (Some(table), 0) if table.starts_with('#') || table.starts_with("[#") => "tempdb.".into(),
        _ => String::new(),
    }
}

/// Number, name and kind of an object, and what a synonym stands for.
fn found(name: &str, database: &str) -> String {
    let is_temporary = database == "tempdb." && !name.contains('.');
    let name = format!("{}{}", if is_temporary { "tempdb.." } else { "" }, name.trim()).replace('\'', "''");
    format!(
        "select o.object_id, s.name + N'.' + o.name, lower(replace(o.type_desc, '_', ' ')), \
         isnull(y.base_object_name, N'') \
         from {database}sys.all_objects o join {database}sys.schemas s on s.schema_id = o.schema_id \
         left join {database}sys.synonyms y on y.object_id = o.object_id \
         where o.object_id = object_id(N'{name}')"
    )
}

/// A type with its length, or precision and scale, of columns and parameters alike.
macro_rules! type_text {
    () => {
        "t.name + case when t.name in ('varchar', 'char', 'varbinary', 'binary', 'nvarchar', 'nchar') then '(' + case \
         when c.max_length = -1 then 'max' when t.name like 'n%' then cast(c.max_length / 2 as varchar(10)) \
         else cast(c.max_length as varchar(10)) end + ')' when t.name in ('decimal', 'numeric') then '(' + \
         cast(c.precision as varchar(10)) + ',' + cast(c.scale as varchar(10)) + ')' \
         when t.name in ('time', 'datetime2', 'datetimeoffset') then '(' + cast(c.scale as varchar(10)) + ')' else '' end"
    };
}

/// Titles and statements; `$id` is the object, `$db` its database.
const PARTS: [(&str, &str); 6] = [
    (
        "Columns",
        concat!(
            "select c.name as [column], ",
            type_text!(),
            " as [type], case c.is_nullable when 1 then 'null' else 'not null' end as [null], \
             case when i.object_id is not null then 'identity(' + cast(i.seed_value as varchar(40)) + ',' + \
             cast(i.increment_value as varchar(40)) + ')' when x.object_id is not null then 'as ' + x.definition \
             else isnull('default ' + d.definition, '') end as [value] \
             from $dbsys.all_columns c join $dbsys.types t on t.user_type_id = c.user_type_id \
             left join $dbsys.identity_columns i on i.object_id = c.object_id and i.column_id = c.column_id \
             left join $dbsys.computed_columns x on x.object_id = c.object_id and x.column_id = c.column_id \
             left join $dbsys.default_constraints d on d.object_id = c.default_object_id \
             where c.object_id = $id order by c.column_id"
        ),
    ),
    (
        "Parameters",
        concat!(
            "select case c.parameter_id when 0 then '(returns)' else c.name end as [parameter], ",
            type_text!(),
            " as [type], case c.is_output when 1 then 'output' else '' end as [direction] \
             from $dbsys.all_parameters c join $dbsys.types t on t.user_type_id = c.user_type_id \
             where c.object_id = $id order by c.parameter_id"
        ),
    ),
    (
        "Indexes",
        "select i.name as [index], case when i.is_primary_key = 1 then 'primary key, ' when i.is_unique_constraint = 1 \
         then 'unique constraint, ' when i.is_unique = 1 then 'unique, ' else '' end + lower(i.type_desc) as [kind], \
         isnull((select string_agg(cast(c.name + case k.is_descending_key when 1 then ' desc' else '' end as nvarchar(max)), ', ') \
         within group (order by k.key_ordinal) from $dbsys.index_columns k join $dbsys.columns c \
         on c.object_id = k.object_id and c.column_id = k.column_id where k.object_id = i.object_id \
         and k.index_id = i.index_id and k.is_included_column = 0), '') as [columns], \
         isnull((select string_agg(cast(c.name as nvarchar(max)), ', ') within group (order by k.index_column_id) \
         from $dbsys.index_columns k join $dbsys.columns c on c.object_id = k.object_id and c.column_id = k.column_id \
         where k.object_id = i.object_id and k.index_id = i.index_id and k.is_included_column = 1), '') as [included], \
         isnull(i.filter_definition, '') as [filter] \
         from $dbsys.indexes i where i.object_id = $id and i.index_id > 0 order by i.index_id",
    ),
    (
        "Foreign keys",
        "select f.name as [foreign key], (select string_agg(cast(c.name as nvarchar(max)), ', ') within group \
         (order by k.constraint_column_id) from $dbsys.foreign_key_columns k join $dbsys.columns c \
         on c.object_id = k.parent_object_id and c.column_id = k.parent_column_id \
         where k.constraint_object_id = f.object_id) as [columns], s.name + '.' + r.name + '(' + \
         (select string_agg(cast(c.name as nvarchar(max)), ', ') within group (order by k.constraint_column_id) \
         from $dbsys.foreign_key_columns k join $dbsys.columns c \
         on c.object_id = k.referenced_object_id and c.column_id = k.referenced_column_id \
         where k.constraint_object_id = f.object_id) + ')' as [references], \
         lower(replace(f.delete_referential_action_desc, '_', ' ')) as [on delete] \
         from $dbsys.foreign_keys f join $dbsys.objects r on r.object_id = f.referenced_object_id \
         join $dbsys.schemas s on s.schema_id = r.schema_id where f.parent_object_id = $id order by f.name",
    ),
    (
        "Checks",
        "select name as [check], definition from $dbsys.check_constraints where parent_object_id = $id order by name",
    ),
    (
        "Triggers",
        "select name as [trigger], case is_instead_of_trigger when 1 then 'instead of' else 'after' end as [when], \
         case is_disabled when 1 then 'disabled' else '' end as [state] \
         from $dbsys.triggers where parent_id = $id order by name",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_database_is_that_of_the_name() {
        assert_eq!(database_of("t"), "");
        assert_eq!(database_of(" dbo.t"), "");
        assert_eq!(database_of("[my shop].dbo.t"), "[my shop].");
        assert_eq!(database_of("shop..t"), "shop.");
        assert_eq!(database_of("[a.b.c]"), "");
        assert_eq!(database_of("#t"), "tempdb.");
    }

    #[test]
    fn a_name_is_a_string_and_nothing_else() {
        assert!(found("x') drop table t --", "").ends_with("object_id(N'x'') drop table t --')"));
        assert!(found("#t", "tempdb.").contains("object_id(N'tempdb..#t')"));
    }
}
