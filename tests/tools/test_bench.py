"""tools/bench: what it makes of samples, and that its lists agree."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/benchmarks"))

from harness import overhead, process, report, results, rows  # noqa: E402

BUILD = Path(os.environ["TENON_BUILD"])
NAMES = [row.name for group in rows.GROUPS.values() for row in group]

needs_programs = pytest.mark.skipif(
    not (BUILD / "bin/bench_tenon").exists(),
    reason="built without benchmarks: a sanitizer, or Google Benchmark is missing",
)


def google_row(name: str, *samples: tuple[float, int], peak: float = 0, amount: float = 0):
    return [
        {
            "run_name": f"{name}/real_time",
            "run_type": "iteration",
            "real_time": time,
            "switches": switches,
            "peak_memory": peak,
            "amount": amount,
        }
        for time, switches in samples
    ]


def measured(**subjects: dict[str, float]) -> results.Measured:
    return results.Measured(
        {
            subject: {row: [process.Series(time, 1, 1, peak_memory=7)] for row, time in own.items()}
            for subject, own in subjects.items()
        }
    )


def machine() -> results.Measured:
    """Of 10 flops and 2 bytes a nanosecond."""
    rates = {"fma_f32": 10, "read": 2, "copy": 2, "copy_non_temporal": 1}
    return results.Measured(
        {"limits": {name: [process.Series(1, 1, 1, amount=rate)] for name, rate in rates.items()}}
    )


def test_disturbed_samples_do_not_count():
    one = process.series([(1, 0), (9, 3), (3, 0), (2, 0)])
    assert (one.median, one.clean, one.samples) == (2, 3, 4)


def test_all_samples_count_when_every_one_was_disturbed():
    one = process.series([(5, 1), (7, 1), (6, 2)])
    assert (one.median, one.clean) == (6, 0)


def test_the_fastest_process_counts_unless_it_was_disturbed():
    slow, fast, disturbed = (process.series(samples) for samples in ([(4, 0)], [(3, 0)], [(1, 1)]))
    assert process.best([slow, fast, disturbed]) == fast
    assert process.best([disturbed]) == disturbed


def test_variants_of_a_row_are_one_row():
    text = json.dumps(
        {"benchmarks": google_row("g/a:x", (5, 0)) + google_row("g/a:y", (4, 0), (4, 0), peak=9)}
    )
    assert process.read(text) == {"g/a": process.Series(4, 2, 2, peak_memory=9)}


def test_a_row_that_failed_ends_the_run_with_its_message():
    broken = {"run_name": "g/a/real_time", "error_occurred": True, "error_message": "no memory"}
    with pytest.raises(SystemExit, match="g/a: no memory"):
        process.read(json.dumps({"benchmarks": [broken]}))


def test_limits_follow_the_measured_rates():
    assert rows.flops(100)(machine()) == 10
    assert rows.flops(100, "fma_bf16")(machine()) == 10  # no bf16 arithmetic: in f32
    assert rows.moved(100, "copy", "copy_non_temporal")(machine()) == 50
    assert rows.slower(rows.flops(100), rows.moved(100, "read"))(machine()) == 50


def test_limits_of_convolutions_leave_out_what_lies_outside_the_image():
    # 2 x 2 pixels: every window of 3 x 3 covers all four of them.
    assert rows.conv_flops(1, 1, 1, 2) == 2 * 4 * 4


@pytest.mark.parametrize(
    ("goal", "time", "met"),
    [
        (rows.Goal("value", 20), 20, True),
        (rows.Goal("value", 20), 21, False),
        (rows.Goal("limit", 1.5), 15, True),
        (rows.Goal("limit", 1.5), 16, False),
        (rows.Goal("onednn", 1.1), 8.8, True),
        (rows.Goal("onednn", 1.1), 9, False),
        (rows.Goal("numpy", 1), 1, None),  # not there
        (None, 1, None),
    ],
)
def test_goals(goal, time, met):
    row = rows.Row("g/a", lambda machine: 10, goal)
    found = results.result(row, measured(tenon={"g/a": time}, onednn={"g/a": 8}), {})
    assert found["met"] is met


def test_goals_in_instructions_are_judged_by_them():
    row = rows.Row("g/a", None, rows.Goal("instructions", 100))
    found = results.result(row, measured(tenon={"g/a": 5000}), {"g/a": 99})
    assert (found["met"], found["goal_unit"], found["instructions"]) == (True, "instructions", 99)


def test_the_fastest_peer_is_the_peer():
    row = rows.Row("g/a", lambda machine: 10)
    subjects = {"tenon": 20, "torch": 8, "numpy": 5, "python": 1}
    found = results.result(row, measured(**{name: {"g/a": t} for name, t in subjects.items()}), {})
    assert (found["peer_name"], found["peer"], found["ratio"]) == ("numpy", 5, 4)
    assert found["peers"] == {"torch": 8, "numpy": 5}  # python only sets limits
    assert found["of_limit"] == 2


def test_peak_memory_is_that_of_the_row_s_process():
    row = rows.Row("g/a_memory", None, None, "bytes", "g/a")
    assert results.result(row, measured(tenon={"g/a": 5}), {})["median"] == 7


def test_a_row_that_tenon_lacks_is_an_error():
    with pytest.raises(SystemExit, match="g/a"):
        results.result(rows.Row("g/a"), measured(tenon={}), {})


def test_late_names_rows_above_their_ceiling_or_without_one(monkeypatch):
    monkeypatch.setattr(overhead, "ceilings", lambda: {"a": 10, "b": 10})
    late = overhead.late({"a": 10, "b": 11, "c": 1})
    assert [line.split(":")[0] for line in late] == ["b", "c"]


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (None, "ns", "–"),
        (12.34, "ns", "12.3 ns"),
        (1234, "ns", "1.23 µs"),
        (456_000_000, "ns", "456 ms"),
        (1_500_000, "bytes", "1.50 MB"),
        (700, "instructions", "700 instr"),
    ],
)
def test_quantities_have_three_digits(value, unit, text):
    assert report.quantity(value, unit) == text


def example() -> dict:
    table = [
        rows.Row("g/quick", lambda machine: 10, rows.Goal("limit", 3)),
        rows.Row("g/slow", lambda machine: 10, rows.Goal("limit", 2)),
    ]
    times = measured(tenon={"g/quick": 20, "g/slow": 50}, numpy={"g/quick": 40, "g/slow": 25})
    return {
        "command": "tools/bench g",
        "machine": {
            "cpu": "A Processor",
            "family_model": "1/2",
            "cores": 2,
            "memory_gib": 8,
            "features": [],
        },
        "versions": {"numpy": "2"},
        "limits": {"fma_f32": 10},
        "rows": [results.result(row, times, {}) for row in table],
    }


def test_markdown_names_what_is_missed_and_by_how_much(monkeypatch):
    monkeypatch.setattr(report, "reasons", lambda: {"g/slow": "It walks."})
    text = report.markdown(example())
    assert "1 of 2 rows are ahead of the fastest peer; 1 of 2 reach their goal." in text
    assert "* `g/slow`: 2.50× its goal of 20.0 ns. It walks." in text
    assert "`g/quick`: " not in text


def test_the_document_is_rewritten_between_its_marks_only(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{report.BEGIN}old\n{report.END}after\n")
    report.document(example(), page)
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("after\n") and "old" not in text
    report.document(example(), page)
    assert page.read_text() == text

    page.write_text("no marks")
    with pytest.raises(SystemExit, match="marks"):
        report.document(example(), page)


def test_names_of_rows_are_unique_and_begin_with_their_group():
    assert len(set(NAMES)) == len(NAMES)
    assert all(row.group == group for group, table in rows.GROUPS.items() for row in table)


def test_every_ceiling_and_reason_is_of_a_row():
    assert set(overhead.ceilings()) == {row.name for row in rows.GROUPS["overhead"]}
    assert set(report.reasons()) <= set(NAMES)


@pytest.mark.parametrize("script", ["torch_rows.py", "numpy_rows.py", "python_calls.py"])
def test_rows_of_scripts_are_rows(script):
    tree = ast.parse((process.SCRIPTS / script).read_text())
    text = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    named = {t for t in text if isinstance(t, str) and re.fullmatch(r"[a-z]+/\w+", t)}
    assert named and named <= set(NAMES)


def test_rows_of_the_overhead_program_are_the_rows_of_the_group():
    assert [f"overhead/{name}" for name in overhead.calls(BUILD / "bin/bench_overhead")] == [
        row.name for row in rows.GROUPS["overhead"]
    ]


@needs_programs
@pytest.mark.parametrize("program", ["bench_tenon", "bench_onednn"])
def test_rows_of_programs_are_rows(program):
    path = BUILD / "bin" / program
    if not path.exists():
        pytest.skip("built without oneDNN")
    listed = process.output([str(path), "--benchmark_list_tests"], process.TENON).split()
    named = [line.removesuffix("/real_time").split(":")[0] for line in listed]
    known = [
        row.name
        for group, table in rows.GROUPS.items()
        if group not in ("overhead", "python", "startup")
        for row in table
        if not row.process
    ]
    if program == "bench_tenon":
        # The products that plugins/onednn/crossover.cc is about are measured by hand alone.
        assert [name for name in named if not name.startswith("products/")] == known
    else:
        assert set(named) <= set(known)


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools/bench"), "--build", str(BUILD), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@needs_programs
def test_json_has_the_documented_keys():
    result = bench("attention", "--json", "--rounds", "1", "--samples", "1")
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert [row["name"] for row in found["rows"]] == ["attention/full", "attention/causal"]
    assert all(row["limit"] > 0 and row["median"] > 0 for row in found["rows"])

    page = (ROOT / "docs/performance.md").read_text()
    tables = re.findall(r"\| key \| meaning \|\n\|[-|]+\|\n((?:\|.*\n)+)", page)
    documented = [
        {name for line in table.splitlines() for name in re.findall(r"`(\w+)`", line.split("|")[1])}
        for table in tables
    ]
    assert documented == [set(found), set(found["rows"][0])]


def test_an_unknown_group_is_wrong_usage():
    result = bench("no_such")
    assert result.returncode == 2
    assert "no_such" in result.stderr
