"""lib/tenon/uninstall removes what was installed, and nothing else."""

from prefix import BUILD, content, install, run


def test_nothing_is_left(tmp_path):
    prefix = install(tmp_path / "prefix")
    assert str(prefix) in run(prefix / "lib/tenon/uninstall")
    assert content(tmp_path) == []


def test_it_works_where_the_prefix_was_moved_to(tmp_path):
    install(tmp_path / "prefix").rename(tmp_path / "with a space")
    run(tmp_path / "with a space/lib/tenon/uninstall")
    assert content(tmp_path) == []


def test_what_others_put_there_stays(tmp_path):
    prefix = tmp_path / "prefix"
    for path in ("bin/other", "lib/pkgconfig/other.pc", "lib/tenon/plugins/libother.so"):
        (prefix / path).parent.mkdir(parents=True, exist_ok=True)
        (prefix / path).touch()
    (prefix / "include").mkdir()
    before = content(tmp_path)
    install(prefix)
    run(prefix / "lib/tenon/uninstall")
    assert content(tmp_path) == before


def test_what_an_earlier_version_installed_goes_too(tmp_path):
    prefix = install(tmp_path / "prefix")
    (prefix / "lib/tenon/renamed_since.txt").touch()
    with open(prefix / "lib/tenon/installed.txt", "a") as installed:
        installed.write("lib/tenon/renamed_since.txt\n")
    install(prefix)
    run(prefix / "lib/tenon/uninstall")
    assert content(tmp_path) == []


def test_it_works_for_a_staged_installation(tmp_path):
    """As packagers do it: installed below DESTDIR, to be moved to the prefix later."""
    run("cmake", "--install", BUILD, "--prefix", "/usr", DESTDIR=str(tmp_path))
    run(tmp_path / "usr/lib/tenon/uninstall")
    assert content(tmp_path) == []
