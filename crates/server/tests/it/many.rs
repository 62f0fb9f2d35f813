//! Many sessions at once.

use crate::client::{connect, events, row, server};

#[test]
fn fifty_sessions_do_not_see_each_other() {
    let server = server();
    std::thread::scope(|scope| {
        for number in 0..50 {
            let server = &server;
            scope.spawn(move || {
                let mut client = connect(server);
                let script = format!("set nocount on; create table #t (a int); insert #t values ({number})");
                events(&mut client, &script);
                for _ in 0..10 {
                    assert_eq!(row(&mut client, "select a from #t"), number.to_string());
                }
            });
        }
    });
    assert!(server.engine().sessions().len() <= 50);
    server.stop().unwrap();
}
