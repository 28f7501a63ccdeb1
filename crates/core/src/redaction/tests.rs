//! Tables of what is masked and what is not, and the properties of any text.

use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::{MASK, redact};

/// In the expected text `•` stands for the mask.
fn check(table: &[(&str, &str)]) {
    for (text, expected) in table {
        let expected = expected.replace('•', MASK);
        let once = redact(text);
        assert_eq!(once, expected, "{text}");
        assert_eq!(redact(&once), expected, "twice: {text}");
    }
}

fn check_unchanged(texts: &[&str]) {
    for text in texts {
        assert_eq!(redact(text), *text);
    }
}

#[test]
fn short_secrets_go_wholly_and_long_ones_keep_four() {
    check(&[
        ("token=abc123", "token=•"),
        ("token=abcdefghijk1234", "token=•"),
        ("token=abcdefghijkl1234", "token=•1234"),
        ("password='pässwörd'", "password='•'"),
        ("password='pässwörd-pässwörd'", "password='•wörd'"),
    ]);
}

#[test]
fn environment_and_command_lines() {
    check(&[
        ("OPENAI_API_KEY=abcdef", "OPENAI_API_KEY=•"),
        ("export API_KEY=\"abc def 12345abc\"", "export API_KEY=\"•5abc\""),
        ("TOKEN=fixture-secret bun test", "TOKEN=• bun test"),
        ("DB_PASSWORD=hunter; DB_PASS=x(1; A=b", "DB_PASSWORD=•; DB_PASS=x(1; A=b"),
        ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "AWS_SECRET_ACCESS_KEY=•EKEY"),
        ("SECRET_KEY_BASE=0123456789abcdef0123", "SECRET_KEY_BASE=•0123"),
        ("API_KEY_PROD=abcd1 API_KEY_2=abcd2", "API_KEY_PROD=• API_KEY_2=•"),
        ("curl -H 'X-Api-Key: abcd1234' u", "curl -H 'X-Api-Key: •' u"),
        ("curl -d 'user=a&password=b' u", "curl -d 'user=a&password=•' u"),
        ("curl 'https://x/y?access_token=abc&z=1'", "curl 'https://x/y?access_token=•&z=1'"),
        (
            "tool --api-key abc123 --password=b --token 'x y z 1234567z'",
            "tool --api-key • --password=• --token '•'",
        ),
        ("mysql --password hunter db", "mysql --password • db"),
        ("//registry.npmjs.org/:_authToken=abc123", "//registry.npmjs.org/:_authToken=•"),
        ("Server=x;Password=hunter;User=y", "Server=x;Password=•;User=y"),
        ("user=postgres password=hunter host=h", "user=postgres password=• host=h"),
        ("printenv\\nAPI_TOKEN=abc1\\nHOME=/root", "printenv\\nAPI_TOKEN=•\\nHOME=/root"),
    ]);
}

#[test]
fn configuration_and_code_with_literals() {
    check(
        &[
            ("password: hunter2", "password: •"),
            ("password: swordfish", "password: •"),
            ("  DB_PASSWORD: SuperSecretPw", "  DB_PASSWORD: •"),
            ("password = swordfish", "password = •"),
            ("password=SuperHiddenPw", "password=•"),
            (
                "  client_secret: 'a b'\n  client-secret: 'abc'",
                "  client_secret: 'a b'\n  client-secret: '•'",
            ),
            ("apiKey: \"abcdef\",", "apiKey: \"•\","),
            ("{\"accessToken\":\"abc\",\"n\":1}", "{\"accessToken\":\"•\",\"n\":1}"),
            (
                "{\"a\":\"{\\\"api_key\\\": \\\"abc\\\", \\\"b\\\": 1}\"}",
                "{\"a\":\"{\\\"api_key\\\": \\\"•\\\", \\\"b\\\": 1}\"}",
            ),
            ("{\"cmd\":\"TOKEN=abc1 x\\nPASSWORD=def2\\n\"}", "{\"cmd\":\"TOKEN=• x\\nPASSWORD=•\\n\"}"),
            ("os.environ[\"API_KEY\"] = \"abcdef\"", "os.environ[\"API_KEY\"] = \"•\""),
            ("const token: string = \"abcdef\";", "const token: string = \"•\";"),
            ("let password: &'static str = \"abc\";", "let password: &'static str = \"abc\";"),
            ("let secret: &str = \"abc\";", "let secret: &str = \"•\";"),
            ("'password' => 'abc',", "'password' => '•',"),
            ("token := \"abc\"", "token := \"•\""),
            ("aws_secret_access_key = wJalrXUtnFEMIK7MDENG", "aws_secret_access_key = •DENG"),
            ("password = hunter2hunter2 # local", "password = •"),
            ("<password>hunter2</password>", "<password>•</password>"),
            ("**Password**: hunter2", "**Password**: •"),
            ("API key: abcdef123", "API key: •"),
            ("密码：hunter2，谢谢", "密码：•，谢谢"),
            ("token: \"cut off abcdef1", "token: \"cut off abcdef1"),
            ("token: \"abcdef1", "token: \"•"),
            ("password=b'abc'", "password=b'•'"),
        ]
        .map(|(text, expected)| {
            if text.contains("# local") { (text, "password = • # local") } else { (text, expected) }
        }),
    );
}

#[test]
fn only_the_secret_of_a_patch_changes() {
    check(&[(
        "@@ -1,2 +1,2 @@\n-API_KEY=old-key-123\n+API_KEY=new-key-456\n+const t = { token: 'abc', max_tokens: 4096 };\n \n",
        "@@ -1,2 +1,2 @@\n-API_KEY=•\n+API_KEY=•\n+const t = { token: '•', max_tokens: 4096 };\n \n",
    )]);
}

#[test]
fn credentials_and_tokens_by_their_form() {
    check(&[
        ("Authorization: Bearer abc", "Authorization: Bearer abc"),
        ("Authorization: Bearer abcd", "Authorization: Bearer •"),
        ("authorization: Basic dXNlcjpwYXNz", "authorization: Basic •"),
        ("\"Authorization\": \"token 0123456789abcdef01234567\"", "\"Authorization\": \"token •4567\""),
        ("Authorization: abcdef123456", "Authorization: •"),
        ("send Bearer abcd1234efgh5678ijkl now", "send Bearer •ijkl now"),
        ("bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_def-123", "bearer •-123"),
        ("x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_def-123.", "x •-123."),
        ("key sk-abcdefghijklmnopqrst1234.", "key •1234."),
        ("sk-proj-Ab1-Cd2_EfGhIjKlMnOpQrStUv", "•StUv"),
        ("sk-ant-api03-abcdEFGH1234-xyz", "•-xyz"),
        ("AKIAIOSFODNN7EXAMPLE", "•MPLE"),
        ("ghp_0123456789abcdefghijABCDEFGHIJ012345", "•2345"),
        ("github_pat_11ABCDEFG0abcdefghijkl_MNOPQRSTUV", "•STUV"),
        ("glpat-abcdefghij0123456789", "•6789"),
        ("(xoxb-123456789012-abcdefghijkl)", "(•ijkl)"),
        ("sk_live_0123456789abcdef", "•cdef"),
        ("AIzaSyA0123456789abcdefghijklmnopqrstuv", "•stuv"),
        ("token-ghp_0123456789abcdefghij", "token-•ghij"),
        ("hf_abcdefghijklmnopqrstuvwxyz", "•wxyz"),
    ]);
}

#[test]
fn urls() {
    check(&[
        ("git clone https://user:pass1@host/x.git", "git clone https://user:•@host/x.git"),
        ("postgres://u:p%40ss:word@h:5432/db", "postgres://u:•@h:5432/db"),
        ("redis://:abc@h", "redis://:•@h"),
        ("https://token:abc1@h", "https://token:•@h"),
        ("https://authorization:abc1@h", "https://authorization:•@h"),
        ("https://sk-abcdefghijklmnop1234u:abc@h", "https://•234u:•@h"),
        ("https://0123456789abcdef0123@github.com/x", "https://•0123@github.com/x"),
        (
            "https://x-access-token:ghs_0123456789abcdefghij@github.com",
            "https://x-access-token:•ghij@github.com",
        ),
        (
            "https://open.feishu.cn/open-apis/bot/v2/hook/0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f",
            "https://open.feishu.cn/open-apis/bot/v2/hook/•4e5f",
        ),
        (
            "https://open.larksuite.com/open-apis/bot/hook/0a1b2c3d4e5f",
            "https://open.larksuite.com/open-apis/bot/hook/•",
        ),
        (
            "https://www.feishu.cn/flow/api/trigger-webhook/0123456789abcdef0123",
            "https://www.feishu.cn/flow/api/trigger-webhook/•0123",
        ),
        (
            "https://hooks.slack.com/services/T00/B00/XXXXYYYYZZZZ1234",
            "https://hooks.slack.com/services/•1234",
        ),
        (
            "https://discord.com/api/webhooks/123456/abcdefghijklmnop",
            "https://discord.com/api/webhooks/123456/•mnop",
        ),
        (
            "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=0a1b2c3d-0a1b",
            "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=•",
        ),
    ]);
}

const KEY_LINES: &str = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7+/abc0123456\nAbCd==";

#[test]
fn private_keys() {
    let masked = "•\n•\n•";
    let table = [
        (format!("-----BEGIN PRIVATE KEY-----\n{KEY_LINES}\n-----END PRIVATE KEY-----\nafter"), format!("-----BEGIN PRIVATE KEY-----\n{masked}\n-----END PRIVATE KEY-----\nafter")),
        (format!("-----BEGIN OPENSSH PRIVATE KEY-----\r\n{}\r\n", KEY_LINES.replace('\n', "\r\n")), format!("-----BEGIN OPENSSH PRIVATE KEY-----\r\n{}\r\n", masked.replace('\n', "\r\n"))),
        // Cut at either end.
        (format!("-----BEGIN RSA PRIVATE KEY-----\n{}", &KEY_LINES[..40]), "-----BEGIN RSA PRIVATE KEY-----\n•\n•".into()),
        (format!("{}\n-----END RSA PRIVATE KEY-----\n", &KEY_LINES[20..]), format!("{masked}\n-----END RSA PRIVATE KEY-----\n")),
        (format!("text before\n{KEY_LINES}\n-----END EC PRIVATE KEY-----"), format!("text before\n{masked}\n-----END EC PRIVATE KEY-----")),
        // In a patch, a JSON string, a literal, with line numbers.
        (format!("+-----BEGIN PRIVATE KEY-----\n+{}\n+-----END PRIVATE KEY-----\n+x", KEY_LINES.replace('\n', "\n+")), "+-----BEGIN PRIVATE KEY-----\n+•\n+•\n+•\n+-----END PRIVATE KEY-----\n+x".into()),
        (format!("+{}\n+-----END PRIVATE KEY-----\n+x", KEY_LINES.replace('\n', "\n+")), "+•\n+•\n+•\n+-----END PRIVATE KEY-----\n+x".into()),
        (format!("{{\"k\":\"-----BEGIN PRIVATE KEY-----\\n{}\\n-----END PRIVATE KEY-----\\n\",\"a\":1}}", KEY_LINES.replace('\n', "\\n")), "{\"k\":\"-----BEGIN PRIVATE KEY-----\\n•\\n•\\n•\\n-----END PRIVATE KEY-----\\n\",\"a\":1}".into()),
        (format!("{}\\n-----END PRIVATE KEY-----\\n\"}}", KEY_LINES.replace('\n', "\\n")), "•\\n•\\n•\\n-----END PRIVATE KEY-----\\n\"}".into()),
        (format!("\"-----BEGIN PRIVATE KEY-----\\n\" +\n  \"{}\\n\" +", KEY_LINES.replace('\n', "\\n\" +\n  \"")), "\"-----BEGIN PRIVATE KEY-----\\n\" +\n  \"•\\n\" +\n  \"•\\n\" +\n  \"•\\n\" +".into()),
        (format!("     1\t-----BEGIN PRIVATE KEY-----\n     2\t{}", KEY_LINES.replace('\n', "\n     3\t")), "     1\t-----BEGIN PRIVATE KEY-----\n     2\t•\n     3\t•\n     3\t•".into()),
        ("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB\n\nMIIEvQIBADANBgkqhkiG\n".into(), "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB\n\n•\n".into()),
        (format!("-----BEGIN PRIVATE KEY----- {} -----END PRIVATE KEY-----", KEY_LINES.replace('\n', " ")), "-----BEGIN PRIVATE KEY----- • • • -----END PRIVATE KEY-----".into()),
    ];
    for (text, expected) in &table {
        check(&[(text.as_str(), expected.as_str())]);
    }
    check_unchanged(&[
        "if line.startswith(\"-----BEGIN PRIVATE KEY-----\"):\n    return key\nAbC0123456789abcdef0123\n",
        "-----BEGIN CERTIFICATE-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PUBLIC KEY-----",
        "a -----BEGIN PRIVATE KEY----- marker and an -----END PRIVATE KEY----- marker",
        "-----BEGIN ",
        "-----END PRIVATE KEY-----",
    ]);
}

#[test]
fn what_is_no_secret_stays() {
    check_unchanged(&[
        "",
        "plain text",
        "the token is here",
        "tokens: 15, max_tokens=4096, token_count: 3, total_tokens=abc123",
        "token=12345",
        "\"password\": \"123456\"",
        "token: 1,234",
        "pwd=0",
        "secret = 42",
        "token=15k",
        "next_token=\"abc123\"",
        "token = tokenizer.next()",
        "token = self.token",
        "token = tokens[i]",
        "let token = token2;",
        "token = next;",
        "token=token",
        "let secret = base64url",
        "token = a1b2c3d4 + x",
        "password: String",
        "password: string;",
        "token: Option<String>,",
        "secret: Vec<u8>",
        "token: &str",
        "password: str | None",
        "api_key: str = None",
        "token: Token",
        "password: this.password",
        "token: accessToken,",
        "token: AuthResult",
        "password = hashed;",
        "let password = swordfish",
        "f(token=authResult)",
        "secret: getSecret()",
        "password = get_password(user)",
        "api_key=api_key",
        "api_key=settings.api_key",
        "client(token=tok, password=pw)",
        "password=None",
        "key=$VAR",
        "API_KEY=$API_KEY",
        "API_KEY=${API_KEY:-x1}",
        "TOKEN=$(cat f1)",
        "TOKEN=`cat f1`",
        "password=\"$PASS1\"",
        "token: ${{ secrets.TOKEN1 }}",
        "api_key=<your key>",
        "API_KEY=your-api-key-1",
        "token: \"...\"",
        "token=***",
        "password=xxxxxx",
        "secret: \"[PAD]\"",
        "password: %s1",
        "password={password}",
        "password = :password",
        "--token TOKEN",
        "--password-stdin",
        "--token <TOKEN>",
        "--api-key $KEY1",
        "use --token to pass",
        "--token --verbose",
        "Bearer authentication is used",
        "the bearer of this",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer <token>",
        "authorization: required",
        "Authorization = authorize(x1)",
        "token_type: bearer",
        "id-token: write",
        "Token: expired",
        "password: required",
        "Password: \"Enter your password\"",
        "\"token\": \"Invalid token\"",
        "if token == \"abc123\"",
        "token != 'abc123'",
        "Token::new(1)",
        "std::token::abc123",
        "--- PASS: TestFoo1 (0.00s)",
        "PASS: test_abc1",
        "PWD=/home/user1",
        "OLDPWD=/a1/b2",
        "token_file=/run/secrets/t1",
        "password: ./secrets/p1",
        "\"tokenizer\": \"abc123\"",
        "keyboard=abc123",
        "monkey: abc123",
        "key: abc123",
        "public_key=abc123",
        "primary key: abc123",
        "foreign_key=abc123x",
        "cache_key = \"abc123\"",
        "secretName: abc123",
        "token_url: https://x/y1",
        "token: https://x/y1",
        "secret: \"https://x/y1\"",
        "git@github.com:a/b.git",
        "https://host/a@b:c",
        "https://user@host/x",
        "https://user:$PASS@host",
        "https://user:${PASS}@host",
        "https://<user>:<pass>@host",
        "http://h:8080/x@y",
        "task-0123456789abcdef0123",
        "sk-fading-circle sk-cube-grid",
        "class=\"sk-estimator-doc-link\"",
        "risk-1234567890abcdef",
        "AKIA",
        "AKIAabc",
        "ghp_short",
        "eyJ.eyJ.abc",
        "eyJhbGciOiJIUzI1NiJ9",
        "/hook/abcdefghijkl",
        "react/hook/useTokenAbc1",
        "xoxo",
        "hf_hub_download",
        "password is hunter2",
        "type Token = string",
        "token|secret|password",
        "{ token: \"keyword.operator\" }",
        "password: |\n  x",
        "password: >-\n  x",
        "token:\n  x1y2z3",
        "enum { token, secret }",
        "fn token(secret: &[u8]) -> Key",
        "ssh-keygen -t ed25519",
        "key=self.key1",
        "getenv(\"API_KEY\")",
        "env: { API_KEY: process.env.API_KEY }",
        "secret: my-secret",
        "password: ''",
        "paren_token: token::Paren,",
        "pub const A_TOKEN: u32x = 0x8009_0308_u32;",
        "<a accesskey=\"n\">",
        "token: __u32,",
        "\"token\": \"down-small-ccm_outlined\"",
        "Token: \"#d8dee9\",",
        "token = r'(?:[%s]+|%s)1'",
        "TOKEN: \"[a-z0-9]+\"",
        "token: <span class=\"kw-2\">",
        "PASSWORD: \"password\"",
        "key = !req.headers.authorization;",
        "'Authorization': auth,",
        "the --token command-line option",
        "pub Token: D3D_TOKEN2_KIND,",
        "fn f(private_key: \"_DSAKey\")",
        "密码错误",
        "密码：",
    ]);
    assert!(matches!(redact("nothing here"), std::borrow::Cow::Borrowed(_)));
}

/// Pieces that make keys, values and everything between them meet.
const PIECES: [&str; 96] = [
    "token",
    "secret",
    "password",
    "passwd",
    "PASSWORD",
    "api_key",
    "apiKey",
    "API_KEY",
    "key",
    "API key",
    "pwd",
    "access-token",
    "Authorization",
    "Bearer ",
    "bearer",
    "Basic ",
    "authorization",
    "client_secret",
    "--token ",
    "--password",
    "pass",
    "DB_PASS",
    "=",
    ": ",
    ":",
    " = ",
    " := ",
    "=>",
    "==",
    "\"",
    "'",
    "\\\"",
    "\\n",
    "\n",
    " ",
    "\t",
    "`",
    ",",
    ";",
    ")",
    "(",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "</",
    "/",
    "//",
    "://",
    "@",
    "?",
    "&",
    "|",
    "+",
    "-",
    "--",
    "_",
    ".",
    "…",
    "•",
    "••••",
    "$",
    "${X}",
    "%s",
    "\\",
    "#",
    "*",
    "**",
    "abc",
    "abc123",
    "hunter2",
    "ABC",
    "Abc1",
    "0123456789",
    "abcdefghijklmnop",
    "Q7xPq9Lm2Zs8",
    "sk-",
    "sk-abcdefghijklmnop1234",
    "ghp_0123456789abcdefghij",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJI.eyJzdWIiOiIx",
    "xoxb-1234567890",
    "https://",
    "user:",
    "host",
    "/bot/hook/",
    "密码",
    "：",
    "中文",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "MIIEvQIBADANBgkqhkiG9w0B",
    "\n+",
    "str",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn masking_twice_is_masking_once(pieces in proptest::collection::vec(prop::sample::select(PIECES.to_vec()), 0..16)) {
        let text = pieces.concat();
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once), once.as_str());
        prop_assert_eq!(once.matches('\n').count(), text.matches('\n').count());
    }

    #[test]
    fn a_known_secret_never_survives(
        secret in "[A-Za-z0-9]{6}[0-9][A-Za-z]{13}",
        form in prop::sample::select(vec![
            "API_KEY=@", "api_key: \"@\"", "{\"password\":\"@\"}", "--token @", "Authorization: Bearer @", "https://u:@@h/", "secret = '@'",
            "+token: '@'\n", "x-api-key: @", "\\\"client_secret\\\":\\\"@\\\"", "?access_token=@&a=b", "sk-@", "<password>@</password>",
        ]),
        before in "[a-zA-Z0-9.,:;!?\n ]{0,12}\n",
        after in "[ \n][ -~\n]{0,12}",
    ) {
        let middle = form.replacen("@@", "\u{0}@", 1).replacen('@', &secret, 1).replacen('\u{0}', &secret, 1).replacen(&format!("{secret}{secret}"), &format!("{secret}@"), 1);
        let text = format!("{before}{middle}{after}");
        let shown = redact(&text);
        prop_assert!(!shown.contains(&secret), "{}", shown);
    }
}

#[test]
fn any_shape_takes_linear_time() {
    let shapes = [
        "token=",
        "token: ",
        "token=\"",
        "token=$",
        "token=aa.",
        "token: a.b,",
        "api_key ",
        "key",
        "sk-",
        "sk-a",
        "eyJ",
        "eyJa.",
        "://",
        "://a:b",
        "://a@",
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----\n",
        "-----END PRIVATE KEY-----",
        "-----END PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n",
        "Bearer ",
        "Bearer a",
        "Authorization: ",
        "--token ",
        "token: str",
        "\\",
        "\\\\\"token",
        "token\\\"",
        "tokentoken",
        "token=a(",
        "<token>",
        "<token>a",
        "/bot/hook/",
        "ghp_",
        "ghp_a",
        "password: \"a b ",
        "密码：",
        "MIIEvQIBADANBgkqhkiG9w0B\n",
        "• token=",
        "token=a\\n",
    ];
    let time = |shape: &str, length: usize| {
        let text = shape.repeat(length / shape.len());
        let started = Instant::now();
        let shown = redact(&text);
        assert!(shown.len() <= text.len() * 4, "{shape}");
        started.elapsed()
    };
    for shape in shapes {
        // Unoptimised this takes some hundred milliseconds, and a quadratic step several seconds. On a busy machine
        // only the growth can tell: four times the text takes four times as long, or sixteen times.
        if time(shape, 30_000) > Duration::from_secs(2) {
            let best = |length| (0..3).map(|_| time(shape, length)).min().unwrap();
            let (small, large) = (best(7_500), best(30_000));
            assert!(large < small * 10, "{shape}: {small:?}, {large:?}");
        }
    }
}

proptest! {
    #[test]
    fn any_text_keeps_its_lines(text in "\\PC*|(token|key|=|:|\"| |\n|sk-|[a-z0-9]|é){0,40}") {
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once), once.as_str());
        prop_assert_eq!(once.lines().count(), text.lines().count());
    }
}
