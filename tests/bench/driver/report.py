# SPDX-License-Identifier: MIT
"""The one table of a run, as text, CSV and an SVG bar chart."""
import csv
import html


class Bar:
    """A bar of the table: what was reached, what must be."""

    def __init__(self, words, reached, limit, unit="", digits=2):
        self.met = reached is not None and reached <= limit
        shown = "not measured" if reached is None else f"{reached:.{digits}f}{unit}"
        verdict = "met" if self.met else "MISSED"
        self.reached = reached
        self.words = f"{words} {shown} <= {limit:g}{unit} {verdict}"


class Row:
    """One line: a server under a work. What does not apply is None."""

    def __init__(self, row, work, server, rate=None, cpu_us=None, floor=None, nginx=None, size=None,
                 busy=None, faults=0, bars=(), note=""):
        self.row, self.work, self.server = row, work, server
        self.rate, self.cpu_us, self.floor, self.nginx = rate, cpu_us, floor, nginx
        self.size, self.busy, self.faults = size, busy, faults
        self.bars, self.note = list(bars), note

    def notes(self):
        words = [bar.words for bar in self.bars]
        if self.note:
            words.append(self.note)
        if self.faults:
            words.append(f"{self.faults} WRONG OR FAILED")
        return "; ".join(words)


HEADINGS = ["", "work", "server", "requests/s", "CPU us", "/floor", "/nginx", "bytes", "busy",
            "bars and notes"]


def cells(row):
    def shown(value, form):
        return "" if value is None else format(value, form)
    return [row.row, row.work, row.server, shown(row.rate, ",.0f"), shown(row.cpu_us, ".2f"),
            shown(row.floor, ".2f"), shown(row.nginx, ".2f"), shown(row.size, ".0f"),
            shown(row.busy, ".0%"), row.notes()]


def text(rows):
    table = [HEADINGS] + [cells(row) for row in rows]
    widths = [max(len(line[i]) for line in table) for i in range(len(HEADINGS) - 1)]
    lines = []
    previous = None
    for number, line in enumerate(table):
        key = line[:2]
        if number > 0 and key != previous:
            lines.append("-" * (sum(widths) + 2 * len(widths) + 14))
        shown = line if key != previous else ["", ""] + line[2:]
        previous = key
        parts = [cell.ljust(width) if i < 3 else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(shown, widths))]
        lines.append("  ".join(parts + [line[-1]]).rstrip())
    return "\n".join(lines) + "\n"


def write_csv(rows, path):
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["row", "work", "server", "requests_per_second", "cpu_us", "floor_ratio",
                      "nginx_ratio", "bytes", "busy", "faults", "met", "notes"])
        for row in rows:
            met = "" if not row.bars else str(all(bar.met for bar in row.bars)).lower()
            figures = [row.rate, row.cpu_us, row.floor, row.nginx, row.size, row.busy]
            shown = ["" if figure is None else f"{figure:.4f}" for figure in figures]
            out.writerow([row.row, row.work, row.server] + shown + [row.faults, met, row.notes()])


def write_svg(rows, path, caption):
    """CPU time a request, one group of bars a work, each group on a scale of its own."""
    groups = {}
    for row in rows:
        if row.cpu_us is not None:
            groups.setdefault((row.row, row.work), []).append(row)
    parts, y = [], 48
    for (name, work), members in groups.items():
        parts.append(f'<text x="16" y="{y}" class="h">{html.escape(name + "  " + work)}</text>')
        y += 8
        longest = max(member.cpu_us for member in members) or 1
        for member in members:
            width = 520 * member.cpu_us / longest
            kind = member.server.split()[0] if member.server else ""
            css = kind if kind in ("quipd", "floor") else "peer"
            end = 158 + width
            parts += [f'<text x="150" y="{y + 12}" class="n">{html.escape(member.server)}</text>',
                      f'<rect x="158" y="{y + 2}" width="{width:.1f}" height="12" class="{css}"/>',
                      f'<text x="{end + 6:.1f}" y="{y + 12}">{member.cpu_us:.2f}</text>']
            y += 17
        y += 24
    style = ("text{font:12px sans-serif;fill:#222}.h{font-weight:bold}.n{text-anchor:end}"
             ".quipd{fill:#2a6fb0}.floor{fill:#999}.peer{fill:#d8b25c}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="780" height="{y}" '
                   f'viewBox="0 0 780 {y}"><style>{style}</style><rect width="100%" height="100%" '
                   f'fill="#fff"/><text x="16" y="22" class="h">CPU time a request, microseconds'
                   f'</text><text x="764" y="22" class="n">{html.escape(caption)}</text>'
                   + "".join(parts) + "</svg>\n")
