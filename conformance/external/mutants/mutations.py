"""Finds mutations of C++: changes of one place each that a test should notice.

A source file is read as text in the project's format (clang-format), not parsed; what does not
compile is discarded later.

SPDX-License-Identifier: Apache-2.0
"""

import collections
import re

# begin and end are positions in the file, whose text there becomes `text`.
Mutation = collections.namedtuple('Mutation', 'operator path begin end text')

# Comments, literals of text and preprocessor lines.
_OPAQUE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|^[ ]*#(?:[^\n]*\\\n)*[^\n]*", re.DOTALL | re.MULTILINE)

_RELATIONAL = {
    '<': ['<=', '>='],
    '<=': ['<', '>'],
    '>': ['>=', '<='],
    '>=': ['>', '<'],
    '==': ['!='],
    '!=': ['=='],
}
_ARITHMETIC = {'+': '-', '-': '+', '*': '/', '/': '*', '%': '*', '<<': '>>', '>>': '<<', '|': '&', '&': '|'}

_INTEGER = re.compile(r'(?<![\w.])(0x[0-9a-fA-F\']+|\d[\d\']*)(u?)\b(?![.\w])')
# A function or method whose body begins, by the format: not indented, or by two.
_FUNCTION = re.compile(
    r'^(?:  )?(?!namespace|class|struct|enum|union|if|for|while|switch|else|do|template|return|[}])'
    r'[A-Za-z][^;{}=]*?\)(?: const)?(?: override)?(?: final)? \{\n', re.MULTILINE)
_VOID = re.compile(r'\s*(?:static |inline |constexpr |virtual )*void\b')
_CONSTRUCTOR = re.compile(r'\s*(?:explicit )?[\w:]+\(')

# A statement that calls, assigns or counts, and is no declaration.
_STATEMENT = re.compile(
    r'(?:\+\+|--|\*|\()*[\w:]+(?:(?:\.|->|::)\w+|\[[^\]]*\]|\([^;]*?\))*'
    r'(?:\s*[-+*/|&^]?=\s|\s(?:<<|>>)=?\s|\(|\+\+|--|;)')
_DECLARATION = re.compile(r'(?:const |auto\b|[\w:<>,]+[&*]?\s+[&*]?\w+\s*[({;\[=])')
_NO_STATEMENT = re.compile(
    r'(?:return|const|using|case|throw|static|constexpr|auto|typedef|namespace|class|struct|enum|'
    r'public|private|default|friend|template|else|for|while|switch|do|explicit|virtual|inline|'
    r'Assert|static_assert|delete)\b')


def hide(text):
    """Returns the text with control characters for what is not code."""
    return _OPAQUE.sub(lambda found: re.sub(r'[^\n]', '\x01', found.group()), text)


def _statements(code):
    """Yields begin and end of each statement that a line begins."""
    for line in re.finditer(r'^ {2,}(?=\S)', code, re.MULTILINE):
        before = code[:line.start()].rstrip()
        if before and before[-1] not in ';{}:\x01)':
            continue
        depth = 0
        for end in range(line.end(), min(len(code), line.end() + 1000)):
            depth += (code[end] in '([{') - (code[end] in ')]}')
            if depth < 0:
                break
            if code[end] == ';' and depth == 0:
                yield line.end(), end + 1
                break


def find_mutations(path, text):
    """Returns the mutations of a file."""
    code = hide(text)
    found = []

    def add(operator, begin, end, new):
        if '\x01' not in code[begin:end] or operator == 'return':
            found.append(Mutation(operator, path, begin, end, new))

    for match in re.finditer(r' (<=|>=|==|!=|<|>) ', code):
        for new in _RELATIONAL[match.group(1)]:
            add('relational', *match.span(1), new)
    for match in re.finditer(r' (&&|\|\|) ', code):
        add('boolean', *match.span(1), '||' if match.group(1) == '&&' else '&&')
    for match in re.finditer(r'(?<=[( ])!(?=[\w(*])', code):
        add('boolean', *match.span(), '')
    for match in re.finditer(r'(?<=[\w)\]] )(\+|-|\*|/|%|<<|>>|\||&)=? (?=[\w(*-])', code):
        add('arithmetic', *match.span(1), _ARITHMETIC[match.group(1)])
    for match in _INTEGER.finditer(code):
        line = code[code.rfind('\n', 0, match.start()) + 1:code.find('\n', match.start())]
        digits = match.group(1).replace("'", '')
        if 'static_assert' in line or re.search(r'get<|array<', line):
            continue
        value = int(digits, 16 if digits.startswith('0x') else 10)
        for new in sorted({value + 1, max(value - 1, 0), 0} - {value}):
            add('constant', *match.span(), f'{new}{match.group(2)}')
    for match in re.finditer(r'\breturn ([^;{}]+);', code):
        old = text[slice(*match.span(1))]
        new = {'true': 'false', 'false': 'true'}.get(old, '{}')
        if old not in ('0', 'nullptr', '*this', 'std::nullopt'):
            add('return', *match.span(1), new)
    for match in _FUNCTION.finditer(code):
        if not _CONSTRUCTOR.match(match.group()):
            new = ' return;' if _VOID.match(match.group()) else ' return {};'
            add('return', match.end() - 1, match.end() - 1, new)
    for begin, end in _statements(code):
        statement = code[begin:end]
        is_if = statement.startswith('if (') and '{' not in statement
        is_jump = statement in ('break;', 'continue;')
        is_plain = (_STATEMENT.match(statement) and not _NO_STATEMENT.match(statement) and
                    not _DECLARATION.match(statement))
        if (is_if or is_jump or is_plain) and not code[end:].lstrip().startswith('else'):
            found.append(Mutation('statement', path, begin, end, ';'))
    return found


def apply(mutation, text):
    """Returns the mutated file.  Its warnings are no errors; its lines keep their numbers."""
    quiet = ''.join(f'_Pragma("GCC diagnostic warning \\"-{group}\\"") ' for group in ('Wall', 'Wextra'))
    return quiet + text[:mutation.begin] + mutation.text + text[mutation.end:]


def describe(mutation, text):
    """Returns "path:line: operator: old line -> new line", short."""
    begin = text.rfind('\n', 0, mutation.begin) + 1
    end = text.find('\n', max(mutation.end - 1, mutation.begin))
    old = text[begin:end]
    new = text[begin:mutation.begin] + mutation.text + text[mutation.end:end]
    line = text.count('\n', 0, mutation.begin) + 1
    short = [' '.join(part.split())[:100] for part in (old, new)]
    return f'{mutation.path}:{line}: {mutation.operator}: {short[0]}  ->  {short[1]}'
