//! A plan as one page of HTML that stands alone: the viewer of the live page, with its style and scripts inside.
//!
//! ```text
//!   Plan ── as JSON, in an element that is no script ─┐
//!   dom.js, units.js, plan.js without their imports ──┴▶ one file, which opens without a server
//! ```
//! What always holds: the page names nothing outside of itself, and its policy of content forbids that it be asked for. No text
//! of a plan becomes markup: it is JSON in which no `<` stands, and the scripts make texts of it. It knows no server.

use crate::assets::named;
use crate::form::escaped;
use crate::plan_tree::Plan;

/// What the viewer is made of, each before those that use it.
const SCRIPTS: [&str; 3] = ["dom.js", "units.js", "plan.js"];

/// The page; `heading`: where the plan is from.
#[must_use]
pub fn html(plan: &Plan, heading: &str) -> String {
    let style = named("page.css").map_or("", |asset| asset.body);
    let scripts: String = SCRIPTS.iter().filter_map(|name| named(name)).map(|asset| alone(asset.body)).collect();
    let heading = escaped(heading);
    let json = json(plan);
    format!(
        r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>{heading}</title>
<style>
{style}
</style>
</head>
<body>
<main>
<h1>{heading}</h1>
<div id="plan"><noscript>The tree is drawn by the scripts in this file.</noscript></div>
</main>
<script type="application/json" id="data">{json}</script>
<script>
'use strict';
(() => {{
{scripts}
document.getElementById('plan').replaceChildren(planView(JSON.parse(document.getElementById('data').textContent)));
}})();
</script>
</body>
</html>
"#
    )
}

/// A module as part of one script: what it imports stands before it.
fn alone(module: &str) -> String {
    let own = module.lines().filter(|line| !line.starts_with("import "));
    own.map(|line| format!("{}\n", line.strip_prefix("export ").unwrap_or(line))).collect()
}

/// JSON that ends no element.
fn json(plan: &Plan) -> String {
    // Numbers and texts always are JSON; those that are no numbers become null.
    serde_json::to_string(plan).unwrap_or_default().replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::plan_tree::{Operator, Statement};

    fn hostile() -> Plan {
        let operator = Operator { physical: "</script><script>alert(1)</script>".into(), ..Operator::default() };
        Plan {
            statements: vec![Statement {
                text: "select '<!--' -- ]]>".into(),
                operators: vec![operator],
                ..Statement::default()
            }],
        }
    }

    #[test]
    fn texts_of_a_plan_are_no_markup() {
        let page = html(&hostile(), "a <b> & c");
        assert_eq!(page.matches("<script").count(), 2);
        assert_eq!(page.matches("</script").count(), 2);
        assert!(!page.contains("<!--") && page.contains("a &lt;b&gt; &amp; c"));
        let json =
            page.split_once("id=\"data\">").and_then(|(_, rest)| rest.split_once("</script>")).map(|(json, _)| json);
        let read: serde_json::Value = serde_json::from_str(json.expect("the data")).expect("JSON");
        assert_eq!(read["statements"][0]["operators"][0]["physical"], "</script><script>alert(1)</script>");
    }

    #[test]
    fn the_scripts_are_one_with_each_name_once() {
        let scripts: String = SCRIPTS.iter().map(|name| alone(named(name).expect("an asset").body)).collect();
        let mut names = HashSet::new();
        for line in scripts.lines() {
            assert!(!line.starts_with("import") && !line.starts_with("export"), "{line}");
            let declared = ["function ", "const ", "let ", "class "].iter().find_map(|word| line.strip_prefix(word));
            if let Some(rest) = declared {
                let name: String = rest.chars().take_while(|sign| sign.is_alphanumeric() || *sign == '_').collect();
                assert!(names.insert(name.clone()), "{name} stands twice");
            }
        }
        assert!(names.contains("planView"));
    }
}
