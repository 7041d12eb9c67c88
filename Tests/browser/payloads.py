"""300 texts that look like something else: markup, scripts, addresses, formulas or line ends."""

VECTORS = [
    "<script>window.hacked=1</script>", '<img src=x onerror="window.hacked=1">',
    "<svg onload=window.hacked=1>", "<svg><script>hacked=1</script></svg>",
    '<iframe srcdoc="<script>parent.hacked=1</script>">', "<iframe src=javascript:parent.hacked=1>",
    "<body onload=hacked=1>", "<details open ontoggle=hacked=1>",
    "<input autofocus onfocus=hacked=1>", "<video><source onerror=hacked=1>",
    "<math><mtext></table><mglyph><style><img src onerror=hacked=1>",
    "<a href=javascript:hacked=1>x</a>", "<object data=javascript:hacked=1>",
    "<embed src=javascript:hacked=1>", "<link rel=stylesheet href=//evil.example>",
    "<meta http-equiv=refresh content='0;url=javascript:hacked=1'>", "<base href=//evil.example>",
    "<form action=javascript:hacked=1><button>",
    "<template><script>hacked=1</script></template>",
    "<style>*{background:url(//evil.example)}</style>", "javascript:window.hacked=1",
    "data:text/html,<script>hacked=1</script>", "vbscript:hacked=1",
    "{{constructor.constructor('hacked=1')()}}", "${hacked=1}", "'-(hacked=1)-'",
    '";hacked=1;//', "=HYPERLINK(\"javascript:hacked=1\")",
    "https://example.org/\"onmouseover=\"hacked=1", "http://user:pass@example.org/<script>",
]

WRAPPERS = [
    "{}", "\"'>{}", "</title></textarea></style></script>{}", "<!--{}-->", " \t\n{}", "\u202e{}",
    "x{}\x01\x1f\u2028\u2029", "{}" + "\u0301" * 60, "java\tscript:{}",
    "{}" + "\U0001F468\u200D\U0001F469" * 200,
]

PAYLOADS = [wrapper.replace("{}", vector) for wrapper in WRAPPERS for vector in VECTORS]
PAYLOADS[1] = "W" * 60_000
PAYLOADS[2] = "<b>" * 15_000
assert len(PAYLOADS) == 300


def header():
    """Returns the payloads as a C header."""
    texts = [payload.encode() for payload in PAYLOADS]
    lines = "\n".join(
        "  (const char[]){" + ",".join(str(byte if byte < 128 else byte - 256) for byte in text)
        + ",0},"
        for text in texts)
    return (f"enum {{ PAYLOADS = {len(texts)} }};\nstatic const char *const payloads[] = {{\n{lines}\n}};\n"
            f"static const int lengths[] = {{{', '.join(str(len(text)) for text in texts)}}};\n")
