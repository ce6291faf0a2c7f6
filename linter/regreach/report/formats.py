"""The formats that services read, by the names that ``--format`` takes."""

from __future__ import annotations

from regreach.model import Severity
from regreach.report.reported import reported
from regreach.request import Result


def document(form: str, result: Result, fail_on: Severity, unsure: tuple[str, ...] = ()) -> str:
    """Return a result in one of the formats ``sarif``, ``github``, ``gitlab`` and ``junit``.

    ``unsure`` says why the command ends without a result, if it does.
    """
    told = reported(result, fail_on, unsure)
    if form == "sarif":
        from regreach.report.sarif import sarif

        return sarif(told)
    if form == "github":
        from regreach.report.github import github

        return github(told)
    if form == "gitlab":
        from regreach.report.gitlab import gitlab

        return gitlab(told)
    from regreach.report.junit import junit

    return junit(told)
