//! Tests of shared records in the store.

use tempfile::TempDir;

use super::{at, open_at};
use crate::{GameStore, GameStoreError, GameWrite, SharedId, SharedRecord, SharedWrite};

async fn write(store: &GameStore, change: SharedWrite) {
    let written = store.write(GameWrite::Shared(change)).await;
    written.expect("an open store");
}

fn record(text: &str, opened: i64) -> SharedRecord {
    SharedRecord {
        text: text.to_owned(),
        opened: at(opened),
    }
}

#[tokio::test]
async fn shared_record_lives_until_it_is_not_opened_any_more() {
    let folder = TempDir::new().expect("a folder");
    let store = open_at(folder.path(), at(1)).expect("a store");
    let ids = [(); 3].map(|()| SharedId::random());
    for (id, opened) in ids.iter().zip([10, 20, 30]) {
        let record = record("1. C *\n", opened);
        let id = id.clone();
        write(&store, SharedWrite::New { id, record }).await;
    }
    let [old, read, new] = ids;
    for time in [40, 15] {
        let at = at(time);
        let id = read.clone();
        write(&store, SharedWrite::Opened { id, at }).await;
    }
    write(&store, SharedWrite::DeleteUnopened { since: at(30) }).await;
    assert_eq!(
        store.load_shared(old.clone()).await,
        Err(GameStoreError::SharedNotFound(old))
    );
    assert_eq!(store.load_shared(read).await, Ok(record("1. C *\n", 40)));
    store.close().await;
    drop(store);

    let store = open_at(folder.path(), at(50)).expect("a store");
    assert_eq!(store.load_shared(new).await, Ok(record("1. C *\n", 30)));
    assert_eq!(store.count_shared().await, Ok(2));
}

#[tokio::test]
async fn shared_record_is_never_replaced() {
    let folder = TempDir::new().expect("a folder");
    let store = open_at(folder.path(), at(1)).expect("a store");
    let id = SharedId::random();
    let new = |text: &str| SharedWrite::New {
        id: id.clone(),
        record: record(text, 2),
    };
    write(&store, new("1. C *\n")).await;
    let second = store.write(GameWrite::Shared(new("1. A *\n"))).await;
    assert!(matches!(second, Err(GameStoreError::Database(_))));
    let kept = store.load_shared(id.clone()).await.expect("the record");
    assert_eq!(kept.text, "1. C *\n");
}
