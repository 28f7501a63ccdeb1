//! The table against the contract: every documented code means what the caller relies on.

use super::Rejection as R;
use super::*;

fn check(code: i64, text: &str, expected: Rejection) {
    let verdict = verdict(code, text);
    assert!(verdict.listed, "{code} {text}");
    assert_eq!(verdict.meaning, Meaning::Rejected(expected), "{code} {text}");
}

#[test]
fn every_code_of_the_contract_has_its_meaning() {
    let rows: &[(&[i64], Rejection)] = &[
        (
            &[
                10_002, 11_310, 200_220, 200_621, 200_830, 200_861, 300_302, 300_303, 300_307, 300_310,
                99_992_402, 99_992_351, 230_072, 230_099, 100_290, 200_380, 200_914, 200_915, 200_530,
                200_672, 200_673, 300_020, 300_030, 300_040, 231_001, 234_043,
            ],
            R::Defect,
        ),
        (&[200_510, 200_850], R::StreamExpired),
        (&[300_309], R::StreamClosed),
        (&[200_570], R::BadImage),
        (&[200_740, 200_750, 300_311], R::CardGone),
        (&[200_770], R::UuidSeen),
        (&[200_810], R::Locked),
        (&[200_860, 300_305, 230_025], R::TooLarge),
        (&[300_120, 200_341, 200_342, 200_343, 200_671], R::Internal),
        (&[300_121, 300_122, 300_301, 300_312, 300_313, 300_314, 300_315], R::Diverged),
        (&[300_317], R::Sequence),
        (&[99_991_661, 99_991_663, 99_991_664, 99_991_671, 10_003, 10_014], R::Credentials),
        (&[99_991_672, 99_991_679], R::Scope),
        (&[99_991_401, 99_991_403, 200_340], R::Forbidden),
        (&[230_001, 230_002, 230_006, 230_013], R::Chat),
        (&[230_011, 231_003, 230_110, 230_031], R::MessageGone),
        (&[230_020], R::ChatBusy),
        (&[230_022, 230_028], R::Audit),
        (&[230_049], R::BeingSent),
    ];
    let mut covered = 0;
    for (codes, expected) in rows {
        for code in *codes {
            check(*code, "", *expected);
            covered += 1;
        }
    }
    assert_eq!(verdict(99_991_400, "").meaning, Meaning::RateLimited);
    assert_eq!(covered + 1, TABLE.len(), "a row of the table is not checked");
}

#[test]
fn wrapped_codes_and_texts_are_told_apart() {
    let wrapped = |inner: &str| format!("Failed to create card content, ext=ErrCode: {inner}; ");
    for (code, text, told, expected) in [
        (230_099, wrapped("11310; ErrMsg: card table number over limit"), 11_310, R::TooManyTables),
        (230_099, wrapped("11310; ErrMsg: element exceeds the limit"), 11_310, R::TooLarge),
        (230_099, wrapped("11310; ErrMsg: card action is lock"), 11_310, R::Locked),
        (230_099, wrapped("11310; ErrMsg: cardid is invalid"), 11_310, R::NotYetVisible),
        (230_099, wrapped("11310; ErrMsg: template is not visible to app"), 11_310, R::Defect),
        (230_099, wrapped("11310; ErrMsg: something new"), 11_310, R::Defect),
        (11_310, "Card Table Number Over Limit".to_owned(), 11_310, R::TooManyTables),
        (230_099, wrapped("200570; ErrMsg: card contains invalid image keys"), 200_570, R::BadImage),
        (230_099, wrapped("200621; ErrMsg: parse card json err"), 200_621, R::Defect),
        (230_099, wrapped("100290; ErrMsg: invalid user"), 100_290, R::Defect),
        (230_099, "ErrCode:200860".to_owned(), 200_860, R::TooLarge),
        (230_099, wrapped("424242"), 230_099, R::Defect),
        (230_099, "ErrCode: 99999999999999999999".to_owned(), 230_099, R::Defect),
        (230_099, String::new(), 230_099, R::Defect),
        // Only 230099 wraps.
        (200_860, "ErrCode: 200570".to_owned(), 200_860, R::TooLarge),
    ] {
        check(code, &text, expected);
        assert_eq!(verdict(code, &text).code, told, "{code} {text}");
    }
}

#[test]
fn a_code_that_is_not_listed_says_so() {
    let verdict = verdict(424_242, "?");
    assert!(!verdict.listed);
    assert_eq!((verdict.code, verdict.meaning), (424_242, Meaning::Rejected(Rejection::Defect)));
}

#[test]
fn the_table_is_in_order_and_every_sentence_is_one() {
    assert!(TABLE.windows(2).all(|pair| pair[0].code < pair[1].code), "each code once, in order");
    for entry in TABLE {
        let sentence = entry.sentence;
        assert!(sentence.len() > 15 && !sentence.ends_with('.'), "{}: {sentence}", entry.code);
        assert!(!sentence.starts_with(char::is_uppercase), "{}: {sentence}", entry.code);
    }
    for code in TOKEN {
        check(code, "", Rejection::Credentials);
    }
}
