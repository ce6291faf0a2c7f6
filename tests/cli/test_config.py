"""The configuration file: where it is found, what it says, what wins over it, what is wrong in it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from command_line import ROOT, Done, copy_of, fails, files_of, run
from shop_example import PACK, SHOP
from tree_making import below, git, make_repository, make_zip, write

KERNELS = "sglang/srt/layers/moe/moe_runner/flashinfer_cutlass.py"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tree = copy_of("bug", tmp_path / "tree")
    monkeypatch.chdir(tree)
    return tree


def configure(folder: Path, text: str, name: str = "regreach.toml") -> None:
    (folder / name).write_text(text, encoding="utf-8")


def rows(*arguments: str) -> dict[str, tuple[str, str]]:
    """What `regreach config` says: each key's value and where it comes from."""
    done = run("config", *arguments)
    assert done.code == 0, done.err
    lines = [re.split(r"  +", line) for line in done.out.splitlines()[1:]]
    return {line[0]: (line[1], line[2]) for line in lines}


def applies(*arguments: str) -> str:
    """The file that applies."""
    return run("config", *arguments).out.splitlines()[0].removeprefix("configuration: ")


def rules(done: Done) -> list[str]:
    return re.findall(r"^\S+:\d+:\d+: (RR\d+)", done.out, re.MULTILINE)


# -- where it is found ------------------------------------------------------------------------


def test_the_nearest_folder_that_has_one(tree: Path) -> None:
    assert applies() == "none"
    configure(tree.parent, "", "regreach.toml")
    assert applies() == f"{tree.parent}/regreach.toml"
    configure(tree, "[tool.regreach]\n", "pyproject.toml")
    assert applies() == "pyproject.toml"
    configure(tree, "")
    assert applies() == "regreach.toml"  # before the other in the same folder
    configure(tree / "sglang", "")
    assert applies() == "regreach.toml"
    assert applies("sglang") == "sglang/regreach.toml"


def test_a_file_without_the_table_is_passed_by(tree: Path) -> None:
    configure(tree.parent, "[tool.regreach]\nplatform = 'hip'\n", "pyproject.toml")
    configure(tree, "[project]\nname = 'regreach-like'\n[tool.ruff]\n", "pyproject.toml")
    assert applies() == f"{tree.parent}/pyproject.toml"
    configure(tree, "this is [no TOML\n", "pyproject.toml")
    assert applies() == f"{tree.parent}/pyproject.toml"


def test_a_repository_ends_the_way_up(tree: Path) -> None:
    configure(tree.parent, "platform = 'hip'\n")
    (tree / ".git").mkdir()
    assert applies() == applies("sglang") == "none"
    configure(tree, "")
    assert applies("sglang") == "regreach.toml"


def test_it_is_that_of_the_target_and_not_of_the_working_folder(tree: Path, tmp_path: Path) -> None:
    other = copy_of("bug", tmp_path / "other")
    configure(tree, "platform = 'hip'\n")
    assert applies(str(other)) == "none"
    (tmp_path / "link").symlink_to(tree)
    assert applies(str(tmp_path / "link")) == "regreach.toml"


def test_a_file_can_be_named_or_none(tree: Path, tmp_path: Path) -> None:
    configure(tree, "platform = 'hip'\n")
    configure(tmp_path, "platform = 'npu'\n", "mine.toml")
    assert rows()["platform"] == ('"hip"', "regreach.toml: platform")
    mine = str(tmp_path / "mine.toml")
    assert rows("--config", mine)["platform"] == ('"npu"', f"{mine}: platform")
    for option in ("--no-config", "--isolated"):
        assert rows(option)["platform"] == ('"cuda"', "default")
    says = "--config and --no-config exclude each other (see regreach check --help)"
    assert fails(run("check", "--config", mine, "--no-config"), 2) == says
    assert (
        fails(run("check", "--config", "no.toml"), 2)
        == "no.toml: cannot be read: No such file or directory"
    )
    configure(tree, "[project]\n", "pyproject.toml")
    assert (
        fails(run("check", "--config", "pyproject.toml"), 2)
        == "pyproject.toml: has no table [tool.regreach]"
    )


def test_archives_bring_none_and_take_one_that_is_named(tree: Path) -> None:
    files = {**files_of("bug"), "regreach.toml": "platform = 'npu'\n"}
    make_zip(tree / "x.zip", files)
    configure(tree, 'ignore = ["RR101"]\nper-path-ignores = { "sglang/**" = ["RR102"] }\n')
    assert run("check", "x.zip").code == 1
    assert run("check", "x.zip", "--config", "regreach.toml") == Done(0, "", "no findings\n")


def test_a_revision_is_judged_as_its_checkout_would_be(tmp_path: Path) -> None:
    """Configuration, pack, baseline and patterns are the revision's, whatever is on disk."""
    files = {
        **below("lib/src", SHOP),
        "lib/packs/shop.toml": PACK,
        "lib/regreach.toml": 'pack = "packs/shop.toml"\nplatform = "web"\nbaseline = "../known.toml"\n'
        '[severity]\nRR101 = "warning"\n[per-path-ignores]\n"src/shop/invoices.py" = ["RR102"]\n',
        "known.toml": "format = 1\n[findings.shop]\nweb = [{ rule = 'RR101', fingerprint = 'gone' }]\n",
    }
    lib = make_repository(tmp_path / "repository", files) / "lib"
    checkout = run("check", str(lib), "--fail-on", "warning", "--format", "json").json()
    git(lib.parent, "rm", "-r", "--quiet", "lib/packs", "known.toml", "lib/regreach.toml")
    (lib / "regreach.toml").write_text("platform = 'nowhere'\n")
    revision = run(
        "check", str(lib), "--rev", "v1", "--fail-on", "warning", "--format", "json"
    ).json()
    for document in (checkout, revision):
        del document["tree"]
        assert [f["rule"] for f in document["findings"]] == ["RR901", "RR101"]
        assert {f["severity"] for f in document["findings"]} == {"warning"}
        stale = document["findings"][0]
        assert Path(stale.pop("path")).name.partition("@")[0] == "known.toml"
        # the command that removes it names the file as it is called here
        assert stale.pop("message").startswith(
            "the baseline knows RR101, which is not found any more"
        )
    assert checkout == revision
    assert applies(str(lib), "--rev", "v1") == "lib/regreach.toml@v1"


def test_a_bare_repository_has_revisions_too(tmp_path: Path) -> None:
    files = {**files_of("bug"), "regreach.toml": 'ignore = ["RR101", "RR102"]\n'}
    make_repository(tmp_path / "repository", files)
    git(tmp_path, "clone", "--quiet", "--bare", "repository", "bare.git")
    bare = str(tmp_path / "bare.git")
    assert applies(bare, "--rev", "v1") == "regreach.toml@v1"
    assert run("check", bare, "--rev", "v1") == Done(0, "", "no findings\n")


def test_what_is_wrong_in_a_revision_is_named(tmp_path: Path) -> None:
    files = {**files_of("bug"), "regreach.toml": "platfrom = 'hip'\nbaseline = 'gone.toml'\n"}
    tree = str(make_repository(tmp_path, files))
    message = fails(run("check", tree, "--rev", "v1"), 2)
    assert message.startswith(
        "regreach.toml@v1: platfrom is not a known key (did you mean 'platform'?); "
    )
    (tmp_path / "regreach.toml").write_text("baseline = 'gone.toml'\n")
    git(tmp_path, "commit", "--all", "--quiet", "--message=second")
    assert fails(run("check", tree, "--rev", "HEAD"), 2).startswith(
        "gone.toml@HEAD: git failed in "
    )
    assert "'nope'" in fails(run("check", tree, "--rev", "nope"), 3)


# -- what wins --------------------------------------------------------------------------------


def test_default_then_file_then_variable_then_command_line(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert rows()["jobs"][1] == "default"
    configure(tree, "jobs = 3\nplatform = 'hip'\n")
    assert rows()["jobs"] == ("3", "regreach.toml: jobs")
    monkeypatch.setenv("REGREACH_JOBS", "4")
    assert rows()["jobs"] == ("4", "$REGREACH_JOBS")
    assert rows("--jobs", "5")["jobs"] == ("5", "the command line")
    assert rows("--platform", "npu")["platform"] == ('"npu"', "the command line")
    monkeypatch.setenv("REGREACH_JOBS", "many")
    assert "REGREACH_JOBS must be a number" in fails(run("check"), 2)


@pytest.mark.parametrize("command", ["check", "audit"])
def test_each_key_reaches_the_analysis(tree: Path, command: str) -> None:
    configure(tree, "platform = 'hip'\nfail-on = 'info'\ncache = false\noffline = true\n")
    document: Any = run(command, "--format", "json").json()
    assert document["platform"] == "hip"
    configure(tree, "fail-on = 'warning'\nselect = ['rr102']\n")
    done = run(command)
    assert done.code == 1
    assert rules(done) == ["RR102"]
    assert run(command, "--fail-on", "error").code == 0


def test_the_environment_and_what_is_absent(tmp_path: Path) -> None:
    def at_lookup(case: str, text: str, *options: str) -> str:
        tree = copy_of(case, tmp_path / case)
        configure(tree, text)
        document = run("audit", str(tree), "--format", "json", *options).json()
        cells = {tuple(cell["key"]): cell for cell in document["registries"][0]["cells"]}
        return str(cells["none", "flashinfer_mxfp4"]["at_lookup"])

    switch = "[env]\nSGLANG_EXPERIMENTAL_MXFP4 = '1'\n"
    assert at_lookup("environment-switch", "") == "no"
    assert at_lookup("environment-switch", switch) == "yes"
    # what is given takes the place of the whole table
    assert at_lookup("environment-switch", switch, "--env", "OTHER=1") == "no"
    assert at_lookup("optional-dependency", "") == "maybe"
    assert at_lookup("optional-dependency", "absent = ['flashinfer_missing_xyz']\n") == "no"


def test_who_selects_a_rule_gets_it(tree: Path) -> None:
    configure(tree, 'ignore = ["RR101", "RR102"]\n')
    assert rules(run("check")) == []
    assert rules(run("check", "--select", "RR102")) == ["RR102"]
    assert rules(run("check", "--ignore", "RR102")) == ["RR101"]
    configure(tree, 'select = ["RR101"]\n')
    assert rules(run("check")) == ["RR101"]
    assert rules(run("check", "--select", "RR102")) == ["RR102"]
    assert rules(run("check", "--ignore", "RR101")) == []


def test_what_a_file_selects_is_not_asked_of_fix(tree: Path) -> None:
    """RR102 is mended on request, and a rule without a fix cannot be asked for: by name, not by file."""
    configure(tree, 'select = ["RR101", "RR102", "RR103"]\n')
    assert run("fix").err.splitlines()[-1].startswith("1 mended; ")
    configure(tree, 'select = ["RR103"]\n')
    assert run("fix").err == "nothing to mend\n"
    assert "RR103 has no fix" in fails(run("fix", "--select", "RR103"), 2)


def test_severities(tree: Path) -> None:
    configure(tree, '[severity]\nRR101 = "info"\nrr102 = "error"\n')
    done = run("check")
    assert done.code == 1
    assert rules(done) == ["RR102", "RR101"]
    assert done.err == "help: `regreach rule RR102` tells why it matters\n1 error, 1 info\n"
    document = run("check", "--format", "json").json()
    assert [(f["rule"], f["severity"]) for f in document["findings"]] == [
        ("RR102", "error"),
        ("RR101", "info"),
    ]


def test_a_pack_beside_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = write(tmp_path, {**below("src", SHOP), "packs/shop.toml": PACK})
    configure(shop, '[tool.regreach]\npack = "packs/shop.toml"\n', "pyproject.toml")
    monkeypatch.chdir(shop / "src" / "shop")
    assert rules(run("check", "../..")) == ["RR101"]
    expected = f'"{shop}/packs/shop.toml"', f"{shop}/pyproject.toml: tool.regreach.pack"
    assert rows("../..")["pack"] == expected
    configure(shop, '[tool.regreach]\npack = "packs/no.toml"\n', "pyproject.toml")
    says = (
        f"{shop}/pyproject.toml: tool.regreach.pack: {shop}/packs/no.toml: cannot be read: No such"
    )
    assert fails(run("check", "../.."), 2).startswith(says)
    assert "the pack cannot be read" in fails(run("check", "../..", "--pack", "no.toml"), 2)


@pytest.mark.parametrize(
    ("pattern", "target"),
    [
        (f"python/{KERNELS}", "python"),
        (f"python/{KERNELS}", "."),
        (f"python/{KERNELS}", "python/sglang"),
        ("python/sglang/**/flashinfer_*.py", "."),
        ("python/sglang/srt", "python/sglang"),
        ("flashinfer_cutlass.py", "python"),
    ],
)
def test_paths_are_told_from_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, target: str
) -> None:
    copy_of("bug", tmp_path / "python")
    configure(tmp_path, f'[per-path-ignores]\n"{pattern}" = ["RR101", "rr102"]\n')
    monkeypatch.chdir(tmp_path)
    assert run("check", target, "--fail-on", "info") == Done(0, "", "no findings\n")
    assert run("fix", target).err == "nothing to mend\n"
    configure(tmp_path, f'[per-path-ignores]\n"{pattern}x" = ["RR101"]\n"sglang/srt" = ["RR102"]\n')
    assert rules(run("check", target)) == ["RR101", "RR102"]


def test_what_a_tree_names_is_read_only_if_it_is_a_file(tree: Path) -> None:
    """A device would never end."""
    for key, path in (("pack", "/dev/zero"), ("baseline", "/dev/zero"), ("baseline", "sglang")):
        configure(tree, f"{key} = '{path}'\n")
        message = fails(run("check"), 2)
        assert message.endswith(
            ("cannot be read: not a regular file", "cannot be read: Is a directory")
        )


def test_probe_and_smoke_read_it_too(tree: Path) -> None:
    configure(tree, "platform = 'nowhere'\n")
    for command in (["probe"], ["smoke", "--key", "none,triton"]):
        says = "regreach.toml: platform: unknown platform 'nowhere'; the pack 'sglang' knows: cuda, hip,"
        assert fails(run(*command), 2).startswith(says)


# -- what is wrong ----------------------------------------------------------------------------


def test_all_that_is_wrong_is_told_at_once(tree: Path) -> None:
    configure(
        tree,
        """\
[tool.regreach]
platfrm = "cuda"
platform = "cude"
jobs = 0
select = ["RR999", "rr101", "RR998"]
fail-on = "never"
severity = { RR101 = "off", RR10 = "info" }
per-path-ignores = { "sglang/**" = ["RR1"], "/x" = [], "y" = "RR101" }
env = { A = 1 }
""",
        "pyproject.toml",
    )
    done = run("check")
    assert (done.code, done.out) == (2, "")
    known = (
        "known are: RR101, RR102, RR103, RR104, RR105, RR106, RR107, RR108, RR109, RR110, RR111,"
        " RR112, RR901, RR902, RR903"
    )
    where = "regreach: error: pyproject.toml: tool.regreach."
    assert done.err.splitlines() == [
        f"{where}env.A must be a string, not 1",
        f"{where}select names an unknown rule 'RR999'; {known}",
        f"{where}select names an unknown rule 'RR998'; {known}",
        f"{where}fail-on must be one of error, warning, info, not 'never'",
        f"{where}jobs must be 1 or more, not 0",
        f"{where}severity.RR101 must be one of error, warning, info, not 'off'; a rule is left out with `ignore`",
        f"{where}severity.RR10 names an unknown rule 'RR10'; {known}",
        f"{where}per-path-ignores.\"sglang/**\" names an unknown rule 'RR1'; {known}",
        f'{where}per-path-ignores."/x" must be a pattern of relative paths',
        f"{where}per-path-ignores.y must be a list of strings, not 'RR101'",
        f"{where}platfrm is not a known key (did you mean 'platform'?); known here: absent, baseline, cache, env,"
        " fail-on, ignore, jobs, offline, pack, package, per-path-ignores, platform, select, severity",
        f"{where}platform: unknown platform 'cude' (did you mean 'cuda'?); the pack 'sglang' knows: cuda, hip,"
        " npu, cpu, xpu",
    ]


def test_the_platforms_of_a_pack_that_is_wrong_are_not_known(tree: Path) -> None:
    configure(tree, "pack = 1\nplatform = 'web'\n")
    assert fails(run("check"), 2) == "regreach.toml: pack must be a string, not 1"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nonsense", "regreach.toml: not valid TOML: Expected '=' after a key"),
        ("\xff", "regreach.toml: not valid TOML: 'utf-8' codec can't decode"),
        ("[tool.regreach]", "regreach.toml: tool is not a known key; known here: absent, "),
        ("pack = 1", "regreach.toml: pack must be a string, not 1"),
        ("pack = ''", "regreach.toml: pack must not be empty"),
        ("pack = 'nope'", "regreach.toml: pack: unknown pack 'nope'; installed are: alembic, celery, django, sglang"),
        ("pack = './'", "regreach.toml: pack: "),
        ("platform = 'abacus'", "regreach.toml: platform: unknown platform 'abacus'; the pack 'sglang' knows"),
        ("env = []", "regreach.toml: env must be a table, not []"),
        ("absent = 'x'", "regreach.toml: absent must be a list of strings, not 'x'"),
        ("select = 'RR101'", "regreach.toml: select must be a list of strings, not 'RR101'"),
        ("select = []", "regreach.toml: select must name a rule: without any nothing would be found"),
        ("ignore = [1]", "regreach.toml: ignore must be a list of strings, not [1]"),
        ("jobs = true", "regreach.toml: jobs must be an integer, not True"),
        ("jobs = '2'", "regreach.toml: jobs must be an integer, not '2'"),
        ("cache = 'no'", "regreach.toml: cache must be true or false, not 'no'"),
        ("offline = 1", "regreach.toml: offline must be true or false, not 1"),
        ("baseline = ' '", "regreach.toml: baseline must not be empty"),
        ("severity = 'error'", "regreach.toml: severity must be a table, not 'error'"),
        ("severity.RR101 = ['error']", "regreach.toml: severity.RR101 must be one of error, warning, info"),
        ("per-path-ignores = ['x']", "regreach.toml: per-path-ignores must be a table, not ['x']"),
        ("exit-zero = true", "regreach.toml: exit-zero is not a known key; known here: "),
    ],
)  # fmt: skip
def test_each_wrong_entry_is_one_line(tree: Path, text: str, says: str) -> None:
    (tree / "regreach.toml").write_bytes(text.encode("latin-1"))
    assert fails(run("check"), 2).startswith(says)
    assert run("check", "--no-config").code == 1


def test_no_rule_at_all_is_an_error(tree: Path) -> None:
    says = "no rule is left to apply: what is selected is ignored as well"
    assert fails(run("check", "--select", "RR101", "--ignore", "rr101"), 2) == says
    configure(tree, "select = ['RR102']\n")
    assert fails(run("check", "--ignore", "RR102"), 2) == says


def test_a_table_that_is_none(tree: Path) -> None:
    configure(tree, "tool.regreach = 1\n", "pyproject.toml")
    assert fails(run("check"), 2) == "pyproject.toml: tool.regreach must be a table, not 1"
    configure(tree, "tool = 'regreach'\n", "pyproject.toml")
    assert applies() == "none"


def test_editors_marks_and_line_ends(tree: Path) -> None:
    (tree / "pyproject.toml").write_bytes(b"\xef\xbb\xbf[tool.regreach]\r\nplatform = 'hip'\r\n")
    assert rows()["platform"] == ('"hip"', "pyproject.toml: tool.regreach.platform")


# -- what is told -----------------------------------------------------------------------------


def test_what_applies_in_full(tree: Path) -> None:
    configure(
        tree,
        'ignore = ["RR106"]\nbaseline = "known.toml"\n[severity]\nRR102 = "info"\n'
        '[per-path-ignores]\n"sglang/test/**" = ["RR902", "RR101"]\n',
    )
    configure(tree, "format = 1\n", "known.toml")
    done = run("config", "--platform", "hip", "--jobs", "2", "--env", "A=é", "--absent", "deep_ep")
    assert done == Done(
        0,
        """\
configuration: regreach.toml
pack            "sglang"              default
package         "sglang"              default
platform        "hip"                 the command line
env             {"A": "é"}            the command line
absent          ["deep_ep"]           the command line
baseline        "known.toml"          regreach.toml: baseline
fail-on         "error"               default
jobs            2                     the command line
offline         false                 default
cache           true                  default
RR101           error                 default
RR102           info                  regreach.toml: severity.RR102
RR103           error                 default
RR104           error                 default
RR105           error                 default
RR106           left out              regreach.toml: ignore
RR107           error                 default
RR108           warning               default
RR109           warning               default
RR110           error                 default
RR111           error                 default
RR112           error                 default
RR901           warning               default
RR902           warning               default
RR903           warning               default
sglang/test/**  without RR101, RR902  regreach.toml: per-path-ignores
""",
        "",
    )
    assert rows("--select", "RR101,RR106")["RR103"] == ("left out", "the command line")
    configure(tree, 'select = ["RR101"]\n')
    assert rows()["RR103"] == ("left out", "regreach.toml: select")


def test_a_target_that_is_none_has_no_configuration(tree: Path) -> None:
    for target in ("nosuch/dir", "nosuch", "gone.whl"):
        assert fails(run("config", target), 2).startswith(f"{target}: no such file or folder")
    configure(tree, "", "some.txt")
    assert "is neither a folder nor an archive" in fails(run("config", "some.txt"), 2)
    assert "git" in fails(run("config", "--rev", "nope"), 2)
    assert applies("sglang==0.5.15") == "none"  # which is not fetched to say so


def test_the_page_names_every_key(tree: Path) -> None:
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    configure(tree, "no_such_key = 1\n")
    keys = fails(run("check"), 2).partition("known here: ")[2].split(", ")
    assert len(keys) == 14
    for key in keys:
        assert f"| `{key}` |" in page, key


@pytest.mark.parametrize("kind", ["folder", "broken link", "pipe"])
def test_an_own_file_that_is_no_file_is_an_error(tree: Path, kind: str) -> None:
    file = tree / "regreach.toml"
    if kind == "folder":
        file.mkdir()
    elif kind == "broken link":
        file.symlink_to("nowhere.toml")
    else:
        os.mkfifo(file)
    assert fails(run("check"), 2).startswith("regreach.toml: cannot be read: ")
    if kind == "pipe":  # one that nobody writes to is not waited for, wherever it is named
        for option in ("--config", "--baseline"):
            done = run(
                "check", "--no-config" if option == "--baseline" else "-q", option, str(file)
            )
            assert "not a regular file" in fails(done, 2)


def test_a_severity_that_stands_there_twice(tree: Path) -> None:
    configure(tree, "severity.RR102 = 'info'\nseverity.rr102 = 'error'\n")
    says = "regreach.toml: severity.rr102 stands there twice: rr102 and another spelling of RR102"
    assert fails(run("check"), 2) == says
