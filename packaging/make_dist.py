"""Makes the files that people install from built programs.

The same programs, tree and time make the same bytes.  `./dev dist` builds the
programs and calls this.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import base64
import gzip
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import time
import zipfile

from library_files import library_files, module_files, needed_glibc

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUMMARY = "Checks GGUF model files: do they follow the specification, and are they safe to load?"
# Names of a processor: of Debian, of npm, and of Python's manylinux tags.
PROCESSORS = {"x86_64": ("amd64", "x64"), "aarch64": ("arm64", "arm64")}
SHELLS = ("bash", "zsh", "fish")


class Release:
    """What all files have in common."""

    def __init__(self, arguments):
        self.version = arguments.version
        self.time = arguments.time
        self.owner = arguments.owner
        self.out = pathlib.Path(arguments.out)
        self.programs = {
            cpu: pathlib.Path(path).read_bytes()
            for cpu, path in (pair.split("=", 1) for pair in arguments.program)
        }
        self.module = pathlib.Path(arguments.module).read_bytes()
        self.libraries = dict(pair.split("=", 1) for pair in arguments.library)
        self.completions = {
            shell: subprocess.run(
                [arguments.completions, shell], check=True, capture_output=True
            ).stdout
            for shell in SHELLS
        }
        self.manual = (ROOT / "docs" / "ggufcheck.1").read_bytes()
        self.license = (ROOT / "LICENSE").read_bytes()
        self.licenses = pathlib.Path(arguments.licenses).read_bytes()

    @property
    def url(self):
        return f"https://github.com/{self.owner}/ggufcheck"

    @property
    def python_version(self):  # PEP 440.
        return self.version.replace("-dev", ".dev0")

    @property
    def debian_version(self):  # "~" sorts before the end.
        return self.version.replace("-", "~")

    def write(self, name, data):
        (self.out / name).write_bytes(data)


# An archive's files are a dictionary: path to (contents, executable).


def tar_gz(files, mtime):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, (data, executable) in sorted(files.items()):
            entry = tarfile.TarInfo(path)
            entry.size = len(data)
            entry.mode = 0o755 if executable else 0o644
            entry.mtime = mtime
            entry.uname = entry.gname = "root"
            archive.addfile(entry, io.BytesIO(data))
    return gzip.compress(raw.getvalue(), 9, mtime=0)


def zipped(files, mtime):
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, (data, executable) in files.items():
            entry = zipfile.ZipInfo(path, time.gmtime(mtime)[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            archive.writestr(entry, data)
    return raw.getvalue()


def under(folder, files):
    return {f"{folder}/{path}": entry for path, entry in files.items()}


def tree_files(folder, names):
    """Returns files of the project's tree."""
    return {name: ((ROOT / folder / name).read_bytes(), False) for name in names}


def program_archive(release, cpu):
    files = {
        "bin/ggufcheck": (release.programs[cpu], True),
        "share/man/man1/ggufcheck.1": (release.manual, False),
        "share/bash-completion/completions/ggufcheck": (
            release.completions["bash"],
            False,
        ),
        "share/zsh/site-functions/_ggufcheck": (release.completions["zsh"], False),
        "share/fish/vendor_completions.d/ggufcheck.fish": (
            release.completions["fish"],
            False,
        ),
        "LICENSE": (release.license, False),
        "THIRD-PARTY-LICENSES": (release.licenses, False),
        **library_files(release, SUMMARY, release.libraries[cpu], "lib"),
    }
    name = f"ggufcheck-{release.version}"
    release.write(
        f"{name}-linux-{cpu}.tar.gz", tar_gz(under(name, files), release.time)
    )


def debian_package(release, cpu):
    """The program needs no package, and only the shared library needs libc6: it
    is recommended, so that older releases can install the program."""
    debian = PROCESSORS[cpu][0]
    manual = gzip.compress(release.manual, 9, mtime=0)
    license = release.license + b"\n" + release.licenses
    files = {
        "usr/bin/ggufcheck": (release.programs[cpu], True),
        "usr/share/man/man1/ggufcheck.1.gz": (manual, False),
        "usr/share/bash-completion/completions/ggufcheck": (
            release.completions["bash"],
            False,
        ),
        "usr/share/zsh/vendor-completions/_ggufcheck": (
            release.completions["zsh"],
            False,
        ),
        "usr/share/fish/vendor_completions.d/ggufcheck.fish": (
            release.completions["fish"],
            False,
        ),
        "usr/share/doc/ggufcheck/copyright": (license, False),
        **under(
            "usr",
            library_files(
                release, SUMMARY, release.libraries[cpu], f"lib/{cpu}-linux-gnu"
            ),
        ),
    }
    size = sum(len(data) for data, _ in files.values()) // 1024
    control = f"""Package: ggufcheck
Version: {release.debian_version}
Architecture: {debian}
Maintainer: The ggufcheck authors <{release.owner}@users.noreply.github.com>
Installed-Size: {size}
Recommends: libc6 (>= {needed_glibc(release.libraries[cpu])})
Section: utils
Priority: optional
Homepage: {release.url}
Description: validator and conformance suite for GGUF model files
 {SUMMARY}
"""
    files["DEBIAN/control"] = (control.encode(), False)
    with tempfile.TemporaryDirectory() as folder:
        for path, (data, executable) in files.items():
            file = pathlib.Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
            file.chmod(0o755 if executable else 0o644)
        for path in [folder, *pathlib.Path(folder).rglob("*")]:
            if os.path.isdir(path):
                os.chmod(path, 0o755)
            os.utime(path, (release.time, release.time))
        name = f"ggufcheck_{release.debian_version}_{debian}.deb"
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", folder]
            + [str(release.out / name)],
            check=True,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "SOURCE_DATE_EPOCH": str(release.time)},
        )


def wheel(release, cpu):
    """The command as a script of the wheel, and the module.  Where the shared
    library cannot be loaded, the module runs the program, which needs no C
    library: so the oldest tags are true."""
    name = f"ggufcheck-{release.python_version}"
    tags = [f"manylinux2014_{cpu}", f"musllinux_1_1_{cpu}"]
    metadata = f"""Metadata-Version: 2.1
Name: ggufcheck
Version: {release.python_version}
Summary: {SUMMARY}
Home-page: {release.url}
License: Apache-2.0
Requires-Python: >=3.8
"""
    about = "Wheel-Version: 1.0\nGenerator: ggufcheck\nRoot-Is-Purelib: false\n"
    about += "".join(f"Tag: py3-none-{tag}\n" for tag in tags)
    files = {
        **module_files(release.libraries[cpu]),
        f"{name}.data/scripts/ggufcheck": (release.programs[cpu], True),
        f"{name}.dist-info/METADATA": (metadata.encode(), False),
        f"{name}.dist-info/WHEEL": (about.encode(), False),
        f"{name}.dist-info/LICENSE": (release.license, False),
        f"{name}.dist-info/THIRD-PARTY-LICENSES": (release.licenses, False),
    }
    record = ""
    for path, (data, _) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
        record += f"{path},sha256={digest.decode()},{len(data)}\n"
    record += f"{name}.dist-info/RECORD,,\n"
    files[f"{name}.dist-info/RECORD"] = (record.encode(), False)
    release.write(
        f"{name}-py3-none-{'.'.join(tags)}.whl", zipped(files, release.time)
    )


def npm_packages(release):
    """One package with the command, and one for each processor, which npm
    chooses by "os" and "cpu".  Elsewhere, the command runs the WebAssembly
    module."""
    common = {
        "version": release.version,
        "license": "Apache-2.0",
        "homepage": release.url,
        "repository": {"type": "git", "url": f"git+{release.url}.git"},
    }

    def package(name, description, more, files):
        manifest = {"name": name, "description": description, **common, **more}
        files["package.json"] = (
            json.dumps(manifest, indent=2).encode() + b"\n",
            False,
        )
        files["LICENSE"] = (release.license, False)
        release.write(
            f"{name}-{release.version}.tgz",
            tar_gz(under("package", files), release.time),
        )

    parts = {}
    for cpu, program in release.programs.items():
        npm_cpu = PROCESSORS[cpu][1]
        name = f"ggufcheck-linux-{npm_cpu}"
        parts[name] = release.version
        package(
            name,
            f"The program of ggufcheck for Linux on {cpu}",
            {"os": ["linux"], "cpu": [npm_cpu]},
            {
                "bin/ggufcheck": (program, True),
                "THIRD-PARTY-LICENSES": (release.licenses, False),
            },
        )
    shim = (ROOT / "packaging/npm/ggufcheck.js").read_bytes()
    package(
        "ggufcheck",
        SUMMARY,
        {"bin": {"ggufcheck": "bin/ggufcheck.js"}, "optionalDependencies": parts},
        {
            "bin/ggufcheck.js": (shim, True),
            "wasm/ggufcheck.wasm": (release.module, False),
            **under("wasm", tree_files("packaging/npm", ["check_files.mjs"])),
            **under("wasm", tree_files("api/wasm", ["ggufcheck.mjs", "node_file.mjs"])),
            "THIRD-PARTY-LICENSES": (release.licenses, False),
        },
    )


# What a reader's author needs, under the same paths as in a checkout: how to
# write an adapter, the helpers, adapters to copy from and a workflow.
READER_FILES = [
    "docs/install.md",
    "docs/test-your-reader.md",
    "docs/reader-protocol.md",
    "corpus/README.md",
    "conformance/readers/readers.toml",
    "conformance/readers/adapters/README.md",
    "conformance/readers/adapters/ggml.cc",
    "conformance/readers/adapters/gguf_py.py",
    "conformance/readers/adapters/gguf_testee.h",
    "conformance/readers/adapters/gguf_testee.mjs",
    "conformance/readers/adapters/gguf_testee.py",
    "conformance/readers/adapters/gguf_tools.c",
    "conformance/readers/adapters/huggingface.mjs",
    "conformance/readers/adapters/hyllama.mjs",
    "conformance/readers/adapters/install_npm.sh",
    "conformance/readers/adapters/npm_folder.mjs",
    "conformance/readers/adapters/testing/toy_reader.c",
    "conformance/readers/adapters/testing/toy_reader.py",
    "integrations/github/reader.yml",
]


def corpus_archive(release, program):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "corpus")
        subprocess.run(
            [program, "corpus", "export", out],
            check=True,
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
        )
        files = {
            str(path.relative_to(out)): (path.read_bytes(), False)
            for path in pathlib.Path(out).rglob("*")
            if path.is_file()
        }
    # What `ggufcheck readers run` needs in this folder.
    for path in (ROOT / "corpus/cases").rglob("*.gguft"):
        files[str(path.relative_to(ROOT / "corpus"))] = (path.read_bytes(), False)
    files.update(tree_files(".", READER_FILES))
    # Here, the corpus is the root.
    readme, _ = files["README.md"]
    files["README.md"] = (readme.replace(b"](../", b"]("), False)
    files["LICENSE"] = (release.license, False)
    name = f"ggufcheck-corpus-{release.version}"
    release.write(f"{name}.tar.gz", tar_gz(under(name, files), release.time))


# What README.md of the kit tells to copy, and README.md.
KIT_FILES = [
    "README.md",
    "gguf.dict",
    "gguf_fuzz.h",
    "gguf_mutator.cc",
    "gguf_mutator.h",
]


def kit_archive(release):
    folder = ROOT / "fuzz/kit"
    names = KIT_FILES + [
        str(path.relative_to(folder))
        for templates in ("oss-fuzz", "clusterfuzzlite")
        for path in sorted((folder / templates).rglob("*"))
        if path.is_file()
    ]
    files = tree_files("fuzz/kit", names)
    files["LICENSE"] = (release.license, False)
    name = f"ggufcheck-fuzz-kit-{release.version}"
    release.write(f"{name}.tar.gz", tar_gz(under(name, files), release.time))


def bill_of_materials(release, packages):
    """SPDX 2.3: the Debian packages whose code the programs contain."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(release.time))
    entries = [
        {
            "SPDXID": "SPDXRef-ggufcheck",
            "name": "ggufcheck",
            "versionInfo": release.version,
            "downloadLocation": f"git+{release.url}.git",
            "licenseDeclared": "Apache-2.0",
            "licenseConcluded": "Apache-2.0",
            "copyrightText": "NOASSERTION",
            "filesAnalyzed": False,
        }
    ]
    relations = [
        {
            "spdxElementId": "SPDXRef-DOCUMENT",
            "relationshipType": "DESCRIBES",
            "relatedSpdxElement": "SPDXRef-ggufcheck",
        }
    ]
    for line in sorted(set(pathlib.Path(packages).read_text().split("\n")) - {""}):
        name, version, source = line.split("\t")
        reference = "SPDXRef-" + "".join(c if c.isalnum() else "-" for c in name)
        entries.append(
            {
                "SPDXID": reference,
                "name": name,
                "versionInfo": version,
                "sourceInfo": f"built from the Debian source package {source}",
                "downloadLocation": "NOASSERTION",
                "licenseDeclared": "NOASSERTION",
                "licenseConcluded": "NOASSERTION",
                "copyrightText": "NOASSERTION",
                "filesAnalyzed": False,
                "externalRefs": [
                    {
                        "referenceCategory": "PACKAGE-MANAGER",
                        "referenceType": "purl",
                        "referenceLocator": f"pkg:deb/debian/{name}@{version}",
                    }
                ],
            }
        )
        relations.append(
            {
                "spdxElementId": reference,
                "relationshipType": "BUILD_DEPENDENCY_OF"
                if name.startswith("g++")
                else "STATIC_LINK",
                "relatedSpdxElement": "SPDXRef-ggufcheck",
            }
        )
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"ggufcheck-{release.version}",
        "documentNamespace": f"{release.url}/spdx/{release.version}",
        "creationInfo": {"created": moment, "creators": ["Organization: ggufcheck"]},
        "packages": entries,
        "relationships": relations,
    }
    release.write(
        f"ggufcheck-{release.version}.spdx.json",
        json.dumps(document, indent=1).encode() + b"\n",
    )


def checksums(release):
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
        for path in sorted(release.out.iterdir())
    ]
    release.write("SHA256SUMS", "".join(lines).encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--version", required=True)
    parser.add_argument("--time", type=int, required=True, help="seconds since 1970")
    parser.add_argument("--program", action="append", metavar="CPU=FILE", required=True)
    parser.add_argument("--library", action="append", metavar="CPU=FOLDER", required=True)
    parser.add_argument("--module", metavar="WASM", required=True)
    parser.add_argument("--host-program", required=True)
    parser.add_argument("--completions", required=True)
    parser.add_argument("--packages", required=True, help="name, version, source")
    parser.add_argument("--licenses", required=True)
    parser.add_argument("--owner", default="OWNER", help="account on GitHub")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()

    shutil.rmtree(arguments.out, ignore_errors=True)
    os.makedirs(arguments.out)
    release = Release(arguments)
    for cpu in release.programs:
        program_archive(release, cpu)
        debian_package(release, cpu)
        wheel(release, cpu)
    npm_packages(release)
    corpus_archive(release, arguments.host_program)
    kit_archive(release)
    bill_of_materials(release, arguments.packages)
    checksums(release)


if __name__ == "__main__":
    main()
