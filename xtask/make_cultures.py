#!/usr/bin/env python3
"""Writes crates/builtin/src/culture/cultures.txt from CLDR.

    pip install babel==2.19.0          # CLDR 49; ideally into a venv
    python3 xtask/make_cultures.py > crates/builtin/src/culture/cultures.txt

CLDR's data come through Babel and are under the Unicode License v3. The layout is that of the header of mod.rs beside the
list. What is done to them:

- patterns of dates and times are written as .NET writes them: years have four digits, names of days and months that stand
  alone are those that do not, literals are quoted, blanks that do not break are blanks, eras are left out. `D` is CLDR's full
  date, `d` its short one, `t` and `T` its short and medium times, `M` and `Y` those of its skeletons `MMMMd` and `yMMMM`;
- names of days and short names of months are those that stand alone, and so are long names of months, beside which those of a
  date are kept where they differ;
- patterns of numbers have `n` for the number; the minus and digits are ASCII, and points and separators those of Latin digits,
  since FORMAT and PARSE have no others. Marks of the direction of writing are left out;
- the currency is the one of the culture's territory on the day DAY; a language without a territory has the one of its likely
  subtags;
- separators of dates and times, which CLDR does not have, are what stands between the first two numbers of the short date and
  of the short time, as .NET does it, but for those with letters;
- a culture for whose months CLDR has no names is left out.

Where the manuals say what SQL Server or Windows answers, OVERRIDES has it, each with its page.
"""

import re
import sys

from babel import Locale
from babel.core import get_global
from babel.localedata import locale_identifiers
from babel.numbers import get_currency_precision, get_currency_symbol

DAY = (2026, 6, 1)
FORMAT = "sql-docs: t-sql/functions/format-transact-sql"
PARSE = "sql-docs: t-sql/functions/parse-transact-sql"
TRY_PARSE = "sql-docs: t-sql/functions/try-parse-transact-sql"
DATES = "dotnet/docs: standard/base-types/standard-date-and-time-format-strings"
NUMBERS = "dotnet/docs: standard/base-types/standard-numeric-format-strings"
LONG_DATE = "dotnet-api-docs: System.Globalization.DateTimeFormatInfo.LongDatePattern"
INVARIANT = "dotnet-api-docs: System.Globalization.CultureInfo.InvariantCulture"

# Culture, field, value, page. A language whose likely territory is the culture's has the same.
OVERRIDES = [
    ("en-US", "currency", "($n)|$n", NUMBERS),
    ("en-US", "short_date", "M/d/yyyy", FORMAT),
    ("en-US", "long_date", "dddd, MMMM d, yyyy", FORMAT),
    ("en-US", "short_time", "h:mm tt", DATES),
    ("en-US", "long_time", "h:mm:ss tt", DATES),
    ("en-GB", "short_date", "dd/MM/yyyy", FORMAT),
    ("en-GB", "long_date", "dd MMMM yyyy", FORMAT),
    ("de-DE", "short_date", "dd.MM.yyyy", FORMAT),
    ("de-DE", "long_date", "dddd, d. MMMM yyyy", FORMAT),
    ("zh-Hans-CN", "short_date", "yyyy/M/d", FORMAT),
    ("zh-Hans-CN", "long_date", "yyyy'年'M'月'd'日'", FORMAT),
    ("fr-FR", "short_date", "dd/MM/yyyy", DATES),
    ("fr-FR", "long_date", "dddd d MMMM yyyy", LONG_DATE),
    ("ja-JP", "short_date", "yyyy/MM/dd", DATES),
    ("ja-JP", "currency_sign", "¥", NUMBERS),
    ("ru-RU", "long_date", "d MMMM yyyy 'г'.", DATES),
    ("es-ES", "short_date", "dd/MM/yyyy", DATES),
    ("sv-SE", "long_date", "'den 'd MMMM yyyy", DATES),
    ("el-GR", "long_date", "dddd, d MMMM yyyy", DATES),
    ("el-GR", "am", "πμ", DATES),
    ("el-GR", "pm", "μμ", DATES),
]

# Names that CLDR has not, or has otherwise, and its locale for each. Pages: PARSE (`ar` is ar-SA, whose language Arabic is),
# TRY_PARSE (sr-Latn-CS), and [MS-LCID], the list of Windows' names.
ALIASES = {
    "ar": "ar_SA",
    "sr-Latn-CS": "sr_Latn_RS", "sr-Cyrl-CS": "sr_Cyrl_RS",
    "zh-CHS": "zh_Hans", "zh-CHT": "zh_Hant",
    "prs": "fa_AF", "prs-AF": "fa_AF",
    "quz": "qu", "quz-BO": "qu_BO", "quz-EC": "qu_EC", "quz-PE": "qu_PE",
    "bm-Latn": "bm", "bm-Latn-ML": "bm_ML",
    "chr-Cher": "chr", "chr-Cher-US": "chr_US",
    "ha-Latn": "ha", "ha-Latn-GH": "ha_GH", "ha-Latn-NE": "ha_NE", "ha-Latn-NG": "ha_NG",
    "iu-Cans": "iu", "iu-Cans-CA": "iu_CA",
    "jv-Latn": "jv", "jv-Latn-ID": "jv_ID",
    "mn-Cyrl": "mn",
    "quc-Latn": "quc", "quc-Latn-GT": "quc_GT",
    "sn-Latn": "sn", "sn-Latn-ZW": "sn_ZW",
    "tg-Cyrl": "tg", "tg-Cyrl-TJ": "tg_TJ",
    "tzm-Latn": "tzm", "tzm-Latn-MA": "tzm_MA",
    "zgh-Tfng": "zgh", "zgh-Tfng-MA": "zgh_MA",
}

# Territories with more than one currency on that day whose youngest is not the one they count in.
FIRST_CURRENCY = {"HT": "HTG", "PA": "PAB", "PS": "ILS"}

FIELDS = ("name point separator groups negative decimals percent percent_sign currency_sign currency currency_decimals "
          "currency_point currency_separator currency_groups am pm date_separator time_separator short_date long_date "
          "short_time long_time month_day year_month days short_days months short_months months_of_dates").split()

# No culture's; INVARIANT and the documents of DateTimeFormatInfo and NumberFormatInfo.
OF_NO_CULTURE = dict(
    name="", point=".", separator=",", groups="3", negative="-n", decimals="2", percent="-n %|n %", percent_sign="%",
    currency_sign="¤", currency="($n)|$n", currency_decimals="2", currency_point=".", currency_separator=",",
    currency_groups="3", am="AM", pm="PM", date_separator="/", time_separator=":", short_date="MM/dd/yyyy",
    long_date="dddd, dd MMMM yyyy", short_time="HH:mm", long_time="HH:mm:ss", month_day="MMMM dd", year_month="yyyy MMMM")

LETTERS = {"y": "yyyy", "a": "tt", "b": "tt", "B": "tt", "K": "h", "k": "H"}
DAYS = {"E", "e", "c"}
MONTHS = {"M", "L"}
LITERAL, LETTER = range(2)


def bare(text):
    """Without marks of the direction of writing and of the places where lines may break."""
    return re.sub("[\u200b\u200e\u200f\u061c]", "", text)


def pieces(pattern):
    """The runs of letters of CLDR's pattern, and its literals without their quotes."""
    texts = [match.group(0) for match in re.finditer(r"''|'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z']+", pattern)]
    assert "".join(texts) == pattern, pattern
    out = []
    for text in texts:
        if text == "''":
            kind, text = LITERAL, "'"
        elif text[0] == "'":
            kind, text = LITERAL, text[1:-1].replace("''", "'")
        else:
            kind = LETTER if text.isascii() and text.isalpha() else LITERAL
        if kind == LITERAL and out and out[-1][0] == LITERAL:
            out[-1] = (LITERAL, out[-1][1] + text)
        else:
            out.append((kind, text))
    return out


def dotnet_letters(run):
    letter, count = run[0], len(run)
    if letter in DAYS:
        return "dddd" if count == 4 else "ddd"
    if letter in MONTHS:
        return "M" * min(count, 4)
    return LETTERS.get(letter) or letter * min(count, 2)


def quoted(literal, separators):
    """A literal as .NET takes it: blanks and common signs as they are, all others between quotes."""
    out = ""
    for part in re.findall(r"[ ,.()-]+|[^ ,.()-]+", re.sub("[\u00a0\u202f]", " ", literal)):
        if re.fullmatch(r"[ ,.()-]+", part) or part in separators:
            out += part
        else:
            assert "'" not in part or '"' not in part, part
            mark = '"' if "'" in part else "'"
            out += mark + part + mark
    return out


def dotnet_pattern(pattern, date_separator, time_separator):
    """CLDR's pattern of a date or time as .NET writes it."""
    parts = pieces(bare(pattern))
    for at, (kind, text) in enumerate(parts):
        if kind == LETTER and text[0] == "G":
            # An era goes with the blank before it.
            parts[at] = (LITERAL, "")
            if at and parts[at - 1][0] == LITERAL:
                parts[at - 1] = (LITERAL, parts[at - 1][1].rstrip())
    separators = [sign for sign, own in (("/", date_separator), (":", time_separator)) if sign == own]
    return "".join(dotnet_letters(text) if kind == LETTER else quoted(text, separators) for kind, text in parts).strip()


def between(pattern, letters, default):
    """What stands between the first two numbers of a pattern."""
    parts = pieces(bare(pattern))
    for at, (kind, text) in enumerate(parts[:-2]):
        if kind == LETTER and text[0] in letters and parts[at + 1][0] == LITERAL and parts[at + 2][0] == LETTER:
            literal = re.sub("[\u00a0\u202f]", " ", parts[at + 1][1])
            return default if any(c.isalpha() for c in literal) or not literal.strip() else literal
    return default


def sizes(pattern):
    """Digits of groups from the point on."""
    number = re.search(r"[#0,.]+", pattern.split(";")[0]).group(0).split(".")[0]
    groups = [str(len(group)) for group in number.split(",")[1:]][::-1]
    if len(groups) > 1 and groups[0] == groups[1]:
        groups = groups[:1]
    return "|".join(groups[:2]) or "0"


def both(pattern):
    """Patterns of a number below zero and of another one."""
    texts = bare(pattern).replace("\u00a0", " ").replace("\u202f", " ").replace("¤", "$").replace("−", "-").replace("'", "")
    positive, _, negative = [re.sub(r"[#0][#0,.]*", "n", text).strip() for text in texts.partition(";")]
    return f"{negative or '-' + positive}|{positive}"


def likely(locale):
    """The locale with its likely script and territory."""
    subtags, language = get_global("likely_subtags"), locale.language
    keys = [(locale.script, locale.territory), (None, locale.territory), (locale.script, None), (None, None)]
    for script, territory in keys:
        full = subtags.get("_".join(filter(None, (language, script, territory))))
        if full:
            parts = full.split("_")
            return locale.script or parts[1], locale.territory or (parts[2] if len(parts) > 2 else None)
    return locale.script, locale.territory


def currency_of(territory):
    if territory in FIRST_CURRENCY:
        return FIRST_CURRENCY[territory]
    tender = [(begin or (0,), code) for code, begin, end, is_tender in get_global("territory_currencies").get(territory, [])
              if is_tender and (end is None or end >= DAY) and (begin is None or begin <= DAY)]
    return max(tender)[1] if tender else "XXX"


def names(of, order):
    texts = [bare(of[key]).strip() for key in order]
    assert not any(sign in text for text in texts for sign in "|\t\n"), texts
    return "|".join(texts)


def culture(name, locale):
    """The fields of a culture; none where CLDR has no names of its months."""
    months, days = locale.months, locale.days
    # Babel counts days from Monday on.
    year, week = range(1, 13), (6, 0, 1, 2, 3, 4, 5)
    alone, beside = (names(months[kind]["wide"], year) for kind in ("stand-alone", "format"))
    if re.search(r"\bM0?1\b", alone):
        return None
    numbers = latin_symbols(locale)
    _, territory = likely(locale)
    currency = currency_of(territory)
    # A currency that is none is the sign of all.
    sign = "¤" if currency == "XXX" else bare(get_currency_symbol(currency, locale))
    dates, times, skeletons = locale.date_formats, locale.time_formats, locale.datetime_skeletons
    date_separator = between(dates["short"].pattern, "yMd", "/")
    time_separator = between(times["short"].pattern, "hHkK", ":")
    halves = {}
    for width in ("wide", "abbreviated"):
        halves.update(locale.day_periods.get("format", {}).get(width, {}))

    def pattern(of):
        return dotnet_pattern(of.pattern, date_separator, time_separator)

    money, plain = locale.currency_formats["standard"].pattern, locale.decimal_formats[None].pattern
    return dict(
        name=name,
        point=bare(numbers["decimal"]),
        separator=bare(numbers["group"]),
        groups=sizes(plain),
        negative="-n",
        decimals="2",
        percent=both(locale.percent_formats[None].pattern.replace("٪", "%")),
        percent_sign=bare(numbers["percentSign"]),
        currency_sign=sign,
        currency=both(money),
        currency_decimals=str(get_currency_precision(currency)),
        currency_point=bare(numbers.get("currencyDecimal", numbers["decimal"])),
        currency_separator=bare(numbers.get("currencyGroup", numbers["group"])),
        currency_groups=sizes(money),
        am=bare(halves.get("am", "AM")).replace("\u00a0", " ").replace("\u202f", " "),
        pm=bare(halves.get("pm", "PM")).replace("\u00a0", " ").replace("\u202f", " "),
        date_separator=date_separator,
        time_separator=time_separator,
        short_date=pattern(dates["short"]),
        long_date=pattern(dates["full"]),
        short_time=pattern(times["short"]),
        long_time=pattern(times["medium"]),
        month_day=pattern(skeletons["MMMMd"]),
        year_month=pattern(skeletons["yMMMM"]),
        days=names(days["stand-alone"]["wide"], week),
        short_days=names(days["stand-alone"]["abbreviated"], week),
        months=alone,
        short_months=names(months["stand-alone"]["abbreviated"], year),
        months_of_dates="" if alone == beside else beside)


def latin_symbols(locale):
    """Points and signs beside Latin digits."""
    symbols = locale.number_symbols
    return symbols.get("latn") or symbols.get("default") or Locale("en").number_symbols["latn"]


def named(identifier):
    """Names of .NET for a locale of CLDR: with its script, and without where that is the likely one."""
    locale = Locale.parse(identifier, resolve_likely_subtags=False)
    parts = [locale.language, locale.script, locale.territory, (locale.variant or "").lower()]
    yield "-".join(filter(None, parts)), locale
    if locale.script and locale.territory:
        subtags = get_global("likely_subtags")
        full = subtags.get(f"{locale.language}_{locale.territory}") or subtags.get(locale.language, "")
        if locale.script in full.split("_"):
            yield f"{locale.language}-{locale.territory}", locale


def cultures():
    found = {}
    for identifier in sorted(locale_identifiers()):
        if not identifier.endswith("POSIX"):
            for name, locale in named(identifier):
                found.setdefault(name, locale)
    found.update((name, Locale.parse(identifier, resolve_likely_subtags=False)) for name, identifier in ALIASES.items())
    used = set()
    for name, locale in found.items():
        fields = culture(name, locale)
        if not fields:
            continue
        script, territory = likely(locale)
        own = "-".join(filter(None, (locale.language, territory)))
        with_script = "-".join(filter(None, (locale.language, script, territory)))
        if not locale.variant:
            for of, field, value, _ in OVERRIDES:
                scripts = get_global("likely_subtags").get(locale.language, "").split("_")
                if of == with_script or of == own and script in scripts:
                    fields[field] = value
                    used.add((of, field))
        yield fields
    assert len(used) == len(OVERRIDES), set(row[:2] for row in OVERRIDES) - used


def lines(rows):
    above = [None] * len(FIELDS)
    for row in rows:
        fields = [row[field] for field in FIELDS]
        assert not any(sign in field or field == '"' for field in fields for sign in "\t\n\r"), fields
        shown = fields[:1] + ['"' if field == old else field for field, old in zip(fields[1:], above[1:])]
        while shown[-1:] == ['"']:
            shown.pop()
        yield "\t".join(shown)
        above = fields


def main():
    rows = list(cultures())
    english = next(row for row in rows if row["name"] == "en-US")
    of_names = {field: english[field] for field in ("days", "short_days", "months", "short_months", "months_of_dates")}
    rows.sort(key=lambda row: row["name"].lower().encode())
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    for line in lines([{**OF_NO_CULTURE, **of_names}, *rows]):
        print(line)


if __name__ == "__main__":
    main()
