//! Lists of parameter declarations.

use millpond_tsql::{ParseOptions, parse_parameters, print};

fn parse(text: &str) -> Result<Vec<String>, (i32, String)> {
    let list = parse_parameters(text, ParseOptions { quoted_identifier: true }).map_err(|e| (e.number, e.message))?;
    let shown = list.iter().map(|p| {
        let default = p.default.as_ref().map(|value| format!(" = {}", print::expression(value))).unwrap_or_default();
        format!("{} {:?}{default}{}", p.name, p.data_type, if p.output { " OUTPUT" } else { "" })
    });
    Ok(shown.collect())
}

#[test]
fn what_clients_send() {
    let int = "Scalar { sql_type: Int, explicit_length: false }";
    assert_eq!(parse("@P1 INT").unwrap(), [format!("@P1 {int}")]);
    assert_eq!(
        parse("@P0 int , @a AS int = -5 output").unwrap(),
        [format!("@P0 {int}"), format!("@a {int} = -5 OUTPUT")]
    );
    assert_eq!(parse(" ").unwrap(), Vec::<String>::new());
    assert_eq!(parse("@t dbo.T readonly, @b varchar(max) = word").unwrap().len(), 2);
}

#[test]
fn what_is_no_list() {
    let near = |text: &str| (102, format!("Incorrect syntax near '{text}'."));
    assert_eq!(parse("@a"), Err(near("@a")));
    assert_eq!(parse("@a int,"), Err(near(",")));
    assert_eq!(parse("@a int @b int"), Err(near("@b")));
    assert_eq!(parse("a int"), Err(near("a")));
    assert_eq!(parse("'x").map_err(|e| e.0), Err(105));
}
