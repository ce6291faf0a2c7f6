"""The command line: one file per command; ``script`` is what the script ``regreach`` calls."""

from __future__ import annotations

import errno
import gc
import io
import os
import signal
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from regreach.cli.audit import audit
from regreach.cli.baseline import baseline
from regreach.cli.bisect import bisect
from regreach.cli.check import check
from regreach.cli.completion import VARIABLE, completion
from regreach.cli.config import config
from regreach.cli.discover import discover
from regreach.cli.explain import explain
from regreach.cli.fix import fix
from regreach.cli.graph import graph
from regreach.cli.pack import pack
from regreach.cli.probe import probe
from regreach.cli.rule import rule
from regreach.cli.side_effects import side_effects
from regreach.cli.smoke import smoke
from regreach.cli.version import print_version
from regreach.errors import ConfigError, RegreachError, TargetError
from regreach.tree.paths import harmless

BROKEN_PIPE = 141  # what a shell shows for a program that SIGPIPE ended
INTERRUPTED = 130
# What the machine lacks: no defect of this program.
_LACKING = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS),
    *(errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN),
)


class _Commands(click.Group):
    """The commands. When the reader of their output goes away they end quietly."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; click itself would end with 1, which here means findings."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # what is still in a buffer would fail once more when the interpreter ends
            nowhere = os.open(os.devnull, os.O_WRONLY)
            for stream in (sys.stdout, sys.stderr):
                os.dup2(nowhere, stream.fileno())
            raise click.exceptions.Exit(BROKEN_PIPE) from None


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=print_version,
    help="Print the versions of regreach, of its libraries and of its rules.",
)
def cli() -> None:
    """Find decorator registrations that their look-up cannot reach.

    TARGET is a checkout, an unpacked release, a wheel or sdist file, or a requirement such as
    'name==1.0' (a word without a version is a file or folder, unless it is the package's own name). The
    tree is read, never imported or executed.

    Exit codes: 0 nothing to report, 1 findings, 2 wrong usage or configuration, 3 could not run.
    """


for _command in (
    *(check, audit, explain, graph, bisect, fix, baseline),
    *(side_effects, discover, probe, smoke, rule, pack, config, completion),
):
    cli.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line; whatever goes wrong ends as one line and an exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if isinstance(sys.stdout, io.TextIOWrapper):
        # a path or an arrow that the terminal's encoding lacks is no reason to fail
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        _check_completion()
        _check_working_folder()
        # not in stand-alone mode, a command's exit code is what the call returns
        code: int | None = cli(
            args=arguments or ["--help"],
            prog_name="regreach",
            complete_var=VARIABLE,
            standalone_mode=False,
        )
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx is not None else "regreach"
        code = _fail(error.exit_code, f"{error.format_message()} (see {command} --help)")
    except click.ClickException as error:
        code = _fail(error.exit_code, error.format_message())
    except click.Abort:
        code = _fail(INTERRUPTED, "interrupted")
    except RegreachError as error:
        code = _fail(error.exit_code, *(str(line) for line in error.args))
    except MemoryError:
        code = _fail(RegreachError.exit_code, "there is not enough memory for this")
    except Exception as error:
        if _is_interrupt(error):
            code = _fail(INTERRUPTED, "interrupted")
        else:
            code = _fail(RegreachError.exit_code, _unexpected(error))
    sys.exit(code)


def _is_interrupt(error: BaseException | None) -> bool:
    """Return whether an exception is what CPython makes of Ctrl-C in ``__set_name__`` (until 3.12)."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__
    return False


def _unexpected(error: Exception) -> str:
    """Return what to say of an exception that is none of regreach's own."""
    if isinstance(error, OSError) and error.errno in _LACKING:
        file = f"{error.filename}: " if error.filename is not None else ""
        return f"the system refuses to go on: {file}{error.strerror}"
    if isinstance(error, ImportError) and error.name != __name__:
        return f"a part of regreach or of its libraries cannot be loaded: {error}"
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    return (
        f"internal error, please report it: {type(error).__name__}: {error}"
        f" ({last.filename}:{last.lineno}; set REGREACH_TRACEBACK=1 to see more)"
    )


def _open_closed_streams() -> None:
    """Give a process that was started without a standard stream one that leads nowhere.

    What is opened later would get its number, and what is printed would end in a file of the cache.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
    for name, number in (("stdout", 1), ("stderr", 2)):
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, "w", encoding="utf-8", closefd=False))  # noqa: SIM115


def script() -> NoReturn:
    """Run the command line as all that this process is for."""
    _open_closed_streams()
    # Syntax trees are freed by reference counts; looking through them for cycles costs a sixth of
    # a run, and to free all that is known, piece by piece, before the end another tenth.
    gc.disable()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _end)
    try:
        main()
    except KeyboardInterrupt:  # as the end was near
        os._exit(INTERRUPTED)
    except SystemExit as end:
        if sys.flags.dev_mode:
            raise  # Python is to tell what was left open
        code = end.code if isinstance(end.code, int) else 0
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except OSError as error:
            if code < RegreachError.exit_code:  # or else it is told already
                code = _fail(RegreachError.exit_code, _unexpected(error))
        os._exit(code)


def _check_completion() -> None:
    """Raise ConfigError when click would complete a line that nobody has given."""
    if os.environ.get(VARIABLE, "").endswith("_complete") and "COMP_WORDS" not in os.environ:
        raise ConfigError(
            f"{VARIABLE} is set, but not COMP_WORDS: only the script of `regreach completion` sets them"
        )


def _check_working_folder() -> None:
    """Raise TargetError when the working folder was deleted: no relative path means anything then."""
    try:
        os.getcwd()  # noqa: PTH109
    except OSError as error:
        raise TargetError(
            f"the working folder cannot be used ({error.strerror}): change into another"
        ) from None


def _end(number: int, _: object) -> NoReturn:
    """End in order: processes that were started and files that were not finished go, too."""
    signal.signal(number, signal.SIG_IGN)  # once is enough
    sys.exit(_fail(128 + number, f"ended by {signal.Signals(number).name}"))


def _fail(code: int, *messages: str) -> int:
    if os.environ.get("REGREACH_TRACEBACK"):
        import traceback

        traceback.print_exc()
    for message in messages:
        click.echo("regreach: error: " + harmless(" ".join(message.split())), err=True)
    return code
