"""Options that several commands share, and what they make of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

import click

from regreach.cli.completion import complete_codes, complete_packs, complete_platforms
from regreach.cli.configured import codes_of, configured
from regreach.cli.policy import policy_of
from regreach.model import Finding, Severity, fails

if TYPE_CHECKING:
    from regreach.request import Request

_F = TypeVar("_F", bound=Callable[..., Any])
_WEEK = 7 * 24 * 3600  # seconds
_FORMS = ("text", "json")
_SERVICES = ("sarif", "github", "gitlab", "junit")  # what services read, of findings
_PAGES = ("html",)
STANDARD_OUTPUT = ("-", "/dev/stdout")  # as the name of a file to print to


def analysis_options(function: _F) -> _F:
    """Add TARGET and the options that say what is analysed, and how."""
    return _with(configured(function), [*_TREE, *_RULES, *_SUPPRESS])


def rule_options(function: _F) -> _F:
    """Add TARGET and the options that say what is analysed, but for what is known of it already."""
    return _with(configured(function), [*_TREE, *_RULES])


def source_options(function: _F) -> _F:
    """Add TARGET and the options that say how it is read, where no pack has a say."""
    return _with(function, [_TREE[0], *_READ])


def tree_options(function: _F) -> _F:
    """Add TARGET and the options that say how it is seen."""
    return _with(configured(function), _TREE)


def process_options(timeout: int) -> Callable[[_F], _F]:
    """Return what adds the options of the processes that execute a tree; ``timeout`` is in seconds."""
    limit = click.option(
        "--timeout",
        type=click.IntRange(min=1, max=_WEEK),
        default=timeout,
        metavar="SECONDS",
        show_default=True,
        help="What each process may take.",
    )
    return lambda function: _with(function, [_PYTHON, limit])


def history_options(function: _F) -> _F:
    """Add TARGET, which is read in several revisions, and the options that say how it is seen."""
    return _with(configured(function), [option for option in _TREE if option is not _REV])


def color_options(function: _F) -> _F:
    """Add the options that say how much is printed, and in which colours."""
    return _with(function, _COLOR)


def file_options(function: _F) -> _F:
    """Add the options that say where something is printed, and in which colours."""
    return _with(function, _FILE)


def print_options(function: _F) -> _F:
    """Add the options that say what is printed, and where."""
    return _with(function, _print(_FORMS))


def list_options(*more: str) -> Callable[[_F], _F]:
    """Return what adds the options that say what is printed, and where: text, JSON or ``more``."""
    return lambda function: _with(function, _print((*_FORMS, *more)))


def output_options(*more: str) -> Callable[[_F], _F]:
    """Return what adds the options that say what is printed, where, and what the exit code means.

    ``more`` are formats beside text, JSON and those of services.
    """
    options = [*_print((*_FORMS, *_SERVICES, *more)), *_VERDICT]
    return lambda function: _with(function, options)


def output_and_verdict_options(function: _F) -> _F:
    """Add the options that say where something is printed, and what the exit code means."""
    return _with(function, [*_FILE, *_VERDICT[:1]])


def fail_on_option(function: _F) -> _F:
    """Add the option that says what findings make the exit code 1."""
    return _with(function, _VERDICT[:1])


def form_option(*more: str) -> Callable[[_F], _F]:
    """Return what adds the option that says how something is printed: as text, JSON or ``more``."""
    return click.option(
        "--format",
        "form",
        type=click.Choice([*_FORMS, *more]),
        default=_FORMS[0],
        show_default=True,
        help="How to print.",
    )


def _with(function: _F, options: list[Callable[[Any], Any]]) -> _F:
    for option in reversed(options):
        function = option(function)
    return function


def _target(ctx: click.Context, _: click.Parameter, values: tuple[str, ...]) -> str:
    """Return the one TARGET. Raises click.UsageError for what a hook gives: names of changed files."""
    if len(values) < 2 and not (values and _is_module(values[0])):
        return values[0] if values else "."
    raise click.UsageError(
        f"TARGET is one whole tree, not {' '.join(values[:2])}{' …' if len(values) > 2 else ''}: what a"
        f" file registers is judged with all others, so {ctx.info_name} takes no files; as a hook of"
        " pre-commit it needs `pass_filenames: false`"
    )


def _is_module(target: str) -> bool:
    return target.endswith((".py", ".pyi")) and not Path(target).is_dir()


_REV: Callable[[Any], Any] = click.option(
    "--rev", metavar="REV", help="Read this revision of the git repository TARGET."
)
_KEEPING: list[Callable[[Any], Any]] = [
    click.option("--no-cache", is_flag=True, help="Keep and use nothing from earlier runs."),
    click.option(
        "--jobs",
        type=click.IntRange(min=1),
        metavar="N",
        help="Parse in N processes (default: $REGREACH_JOBS, else the number of processors).",
    ),
    click.option(
        "--offline", is_flag=True, help="Fetch nothing: a requirement must be in the cache already."
    ),
]
_READ: list[Callable[[Any], Any]] = [_REV, *_KEEPING]
_TREE: list[Callable[[Any], Any]] = [
    click.argument("target", nargs=-1, callback=_target, metavar="[TARGET]"),
    _REV,
    click.option(
        "--pack",
        metavar="NAME",
        shell_complete=complete_packs,
        help="The pack to use: a name, or the path of a TOML file.",
    ),
    click.option(
        "--package",
        metavar="NAME",
        help="The import package, for a pack that is for any.",
    ),
    click.option(
        "--platform",
        metavar="NAME",
        shell_complete=complete_platforms,
        help="Whose facts hold, e.g. cuda, hip, npu, cpu, xpu.",
    ),
    click.option(
        "--env",
        "environment",
        metavar="NAME=VALUE",
        multiple=True,
        help="Analyse as if this environment variable were set. Repeatable.",
    ),
    click.option(
        "--absent",
        metavar="PACKAGE",
        multiple=True,
        help="Analyse as if this third-party package were not installed. Repeatable.",
    ),
    *_KEEPING,
    click.option("--config", metavar="FILE", help="Read the configuration from this file."),
    click.option(
        "--no-config", "--isolated", "no_config", is_flag=True, help="Read no configuration file."
    ),
]
_RULES: list[Callable[[Any], Any]] = [
    click.option(
        "--select",
        metavar="CODES",
        multiple=True,
        shell_complete=complete_codes,
        help="Only these rules, e.g. RR101,RR102.",
    ),
    click.option(
        "--ignore",
        metavar="CODES",
        multiple=True,
        shell_complete=complete_codes,
        help="Not these rules.",
    ),
]
_SUPPRESS: list[Callable[[Any], Any]] = [
    click.option(
        "--baseline", metavar="FILE", help="Findings that do not count, from `regreach baseline`."
    ),
    click.option(
        "--no-suppressions", is_flag=True, help="Count what comments and the baseline suppress."
    ),
]
_PYTHON: Callable[[Any], Any] = click.option(
    "--python",
    metavar="PATH",
    default=sys.executable,
    show_default="the one that runs regreach",
    help="The interpreter to execute the tree with; what is installed for it is used.",
)
_COLOR: list[Callable[[Any], Any]] = [
    click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        help="When to colour. NO_COLOR and TERM=dumb are honoured.",
    ),
    click.option("--quiet", "-q", is_flag=True, help="No summary and no progress."),
    click.option("--verbose", "-v", is_flag=True, help="Say what is done, and what is suppressed."),
    click.option("--stats", is_flag=True, help="Print where the time went."),
]


def _print(forms: Sequence[str]) -> list[Callable[[Any], Any]]:
    return [
        form_option(*forms[len(_FORMS) :]),
        click.option(
            "--output",
            "-o",
            "outputs",
            metavar="[FORMAT:]FILE",
            multiple=True,
            callback=lambda ctx, parameter, values: _outputs(forms, values),
            help="Print to a file. With FORMAT, write that as well as what is printed. Repeatable.",
        ),
        *_COLOR,
    ]


def _outputs(forms: Sequence[str], values: Sequence[str]) -> list[tuple[str | None, Path]]:
    """Return for each file its format, None for that of ``--format``. Raises click.UsageError."""
    outputs: list[tuple[str | None, Path]] = []
    for value in values:
        form, colon, name = value.partition(":")
        known = form in (*forms, *_SERVICES, *_PAGES)
        # a drive of Windows has one letter, and a path may have been given as ./a:b
        if colon and not known and len(form) > 1 and not {"/", "\\"} & set(form):
            raise click.UsageError(
                f"--output {value}: {form!r} is no format; here are {', '.join(forms)}"
                f" (for a file of that name say ./{value})"
            )
        if known and name in STANDARD_OUTPUT:
            raise click.UsageError(f"--output {value}: say --format {form}, which prints it")
        if not known or not colon:
            outputs.append((None, Path(value)))
        elif form in forms and name:
            outputs.append((form, Path(name)))
        else:
            raise click.UsageError(f"--output {value}: the formats here are {', '.join(forms)}")
    if len({path for _, path in outputs}) < len(outputs):
        raise click.UsageError("--output names one file twice")
    if sum(form is None for form, _ in outputs) > 1:
        raise click.UsageError("--output names two files of one format: say FORMAT:FILE")
    return outputs


_FILE: list[Callable[[Any], Any]] = [
    click.option(
        "--output", "-o", metavar="FILE", type=click.Path(path_type=Path), help="Print to a file."
    ),
    *_COLOR,
]
_VERDICT: list[Callable[[Any], Any]] = [
    click.option(
        "--fail-on",
        type=click.Choice(["error", "warning", "info"]),
        default="error",
        show_default=True,
        help="Exit with 1 for findings of this severity or above.",
    ),
    click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings."),
]


def request_from(options: dict[str, Any]) -> Request:
    """Take the analysis options out of a command's parameters. Raises click.UsageError."""
    from regreach.request import Request

    policy = policy_of(options)
    environment: dict[str, str] = {}
    for setting in options.pop("environment"):
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise click.UsageError(f"--env takes NAME=VALUE, not {setting!r}")
        environment[name] = value
    return Request(
        options.pop("target"),
        options.pop("rev", None),
        options.pop("pack"),
        options.pop("platform"),
        environment,
        options.pop("absent"),
        codes_of(options.pop("select", ())),
        codes_of(options.pop("ignore", ())),
        None,
        options.pop("offline"),
        not options.pop("no_cache"),
        options.pop("jobs"),
        policy=policy,
        package=options.pop("package"),
    )


def forms_of(options: Mapping[str, Any]) -> set[str]:
    """Return the formats in which a result is printed or written."""
    return {options["form"], *(form for form, _ in options["outputs"] if form is not None)}


def check_pages(options: Mapping[str, Any]) -> None:
    """Raise click.UsageError for a page that would be printed on a terminal, which nobody can read."""
    printed = all(form is not None for form, _ in options["outputs"])
    if options["form"] in _PAGES and printed and sys.stdout.isatty():
        form = options["form"]
        raise click.UsageError(f"--format {form} is for a browser: say -o page.{form}, or redirect")


def exit_code(findings: Iterable[Finding], fail_on: Severity, exit_zero: bool) -> int:
    """Return 1 when a finding is at or above the severity, else 0."""
    return int(not exit_zero and any(fails(f.severity, fail_on) for f in findings))


def use_color(choice: str, stream: TextIO | None) -> bool:
    """Return whether to colour what goes to a stream, or to a file (None)."""
    if choice != "auto":
        return choice == "always"
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream is not None and stream.isatty() and not plain
