//! Tests that would disturb each other in one database.

mod pond;

use pond::{Connection, Database, template};
use tiberius::Result;

async fn names(connection: &mut Connection) -> Result<Vec<String>> {
    let rows = connection.simple_query("select name from people order by id").await?.into_first_result().await?;
    Ok(rows.iter().filter_map(|row| row.get::<&str, _>("name")).map(str::to_owned).collect())
}

/// The new person's id.
async fn add(connection: &mut Connection, name: &str) -> Result<Option<i32>> {
    let ids = connection.query("insert people (name) output inserted.id values (@p1)", &[&name]).await?;
    Ok(ids.into_row().await?.and_then(|row| row.get(0)))
}

#[tokio::test]
async fn everybody_can_go() -> Result<()> {
    let mut database = Database::new().await?;
    database.execute("delete people", &[]).await?;
    assert!(names(&mut database).await?.is_empty());
    Ok(())
}

#[tokio::test]
async fn ids_begin_anew_in_each_copy() -> Result<()> {
    for name in ["Edsger", "Barbara", "Tony"] {
        let mut database = Database::new().await?;
        assert_eq!(add(&mut database, name).await?, Some(3));
        assert_eq!(names(&mut database).await?, ["Ada", "Grace", name]);
    }
    Ok(())
}

#[tokio::test]
async fn the_template_stays_as_it_is() -> Result<()> {
    let mut database = Database::new().await?;
    database.execute("update people set name = N'Augusta' where name = N'Ada'", &[]).await?;
    assert_eq!(names(&mut template().await?).await?, ["Ada", "Grace"]);
    assert_eq!(names(&mut database).await?, ["Augusta", "Grace"]);
    Ok(())
}

#[tokio::test]
async fn two_copies_side_by_side() -> Result<()> {
    let mut one = Database::new().await?;
    let mut other = Database::new().await?;
    assert_eq!(add(&mut one, "Alan").await?, Some(3));
    assert_eq!(add(&mut other, "Alonzo").await?, Some(3));
    assert_eq!(names(&mut one).await?, ["Ada", "Grace", "Alan"]);
    assert_eq!(names(&mut other).await?, ["Ada", "Grace", "Alonzo"]);
    Ok(())
}
