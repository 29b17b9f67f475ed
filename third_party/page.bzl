"""embedded_page: the sources of an HTML page, embedded in a program.

SPDX-License-Identifier: Apache-2.0
"""

def embedded_page(name, namespace, variable):
    """Writes NAME.cc, which defines `variable`, a PageSource that NAME.h declares.

    Args:
      name: of the sources NAME.html, NAME.css and NAME.js.
      namespace: of the variable.
      variable: its name.
    """
    files = [name + extension for extension in [".html", ".css", ".js"]]
    native.genrule(
        name = name + "_embedded",
        srcs = files,
        outs = [name + ".cc"],
        # The hashes are those of the Content-Security-Policy.
        cmd = """
            text() { printf 'R"EMBED('; cat $$1; printf ')EMBED",\\n'; }
            hash() {
              sha256sum <$$1 | cut -c1-64 | tr a-f A-F | basenc --base16 -di | base64 |
                sed 's/.*/"sha256-&",/'
            }
            {
              echo '#include "%s/%s.h"'
              echo 'namespace %s {'
              echo 'const PageSource %s = {'
              for file in $(SRCS); do text $$file; done
              for file in $(SRCS); do [[ $$file == *.html ]] || hash $$file; done
              echo '};'
              echo '}'
            } >$@
        """ % (native.package_name(), name, namespace, variable),
    )
