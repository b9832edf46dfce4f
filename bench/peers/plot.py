"""Line plots on two logarithmic axes as SVG, without any library; readable on light and on dark ground.

A page is a row of panels; each has series of (x, y) points. The picture takes its colours from the reader's scheme.
"""

import math
from dataclasses import dataclass
from html import escape

PANEL_WIDTH, PANEL_HEIGHT = 430, 300
LEFT, RIGHT, TOP, BOTTOM = 70, 24, 58, 48
LEGEND_LINE = 18

# What a reader's scheme does not decide has colours that can be read on both grounds.
STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #767676 }
  .title { font-weight: 600; font-size: 14px }
  .grid { stroke: #888; stroke-opacity: .25 }
  .frame { stroke: #888; fill: none }
  .s0 { stroke: #d9480f; fill: #d9480f } .s1 { stroke: #2f7de1; fill: #2f7de1 }
  .s2 { stroke: #1f9d4d; fill: #1f9d4d } .s3 { stroke: #888; fill: #888 }
  .line { stroke-width: 2 } .dashed { stroke-dasharray: 5 4 }
  @media (prefers-color-scheme: light) { text { fill: #333 } }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd }
    .s0 { stroke: #fb923c; fill: #fb923c } .s1 { stroke: #60a5fa; fill: #60a5fa }
    .s2 { stroke: #4ade80; fill: #4ade80 } .s3 { stroke: #aaa; fill: #aaa }
  }
"""


@dataclass
class Series:
    name: str
    points: list            # (x, y), both above 0
    colour: int = 0         # of STYLE: 0 to 3
    dashed: bool = False


@dataclass
class Panel:
    title: str
    x_name: str
    y_name: str
    series: list
    y_text: callable = None  # of a tick; None: number_text


def render(panels):
    """The text of an SVG file."""
    legend = max(len(panel.series) for panel in panels) * LEGEND_LINE
    width, height = PANEL_WIDTH * len(panels), PANEL_HEIGHT + legend
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height}" '
             f'width="{width}" height="{height}">', f"<style>{STYLE}</style>"]
    for number, panel in enumerate(panels):
        parts.append(f'<g transform="translate({number * PANEL_WIDTH} 0)">')
        parts += draw_panel(panel)
        parts.append("</g>")
    return "\n".join(parts + ["</svg>", ""])


class Axis:
    """Maps values to pixels; `low` and `high` are the bounds of the values."""

    def __init__(self, values, from_pixel, to_pixel):
        self.low, self.high = min(values), max(values)
        if self.high / self.low > 20:           # whole decades
            self.low, self.high = 10 ** math.floor(math.log10(self.low)), 10 ** math.ceil(math.log10(self.high))
        else:
            self.low, self.high = self.low / 1.08, self.high * 1.08
        self.from_pixel, self.to_pixel = from_pixel, to_pixel

    def at(self, value):
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return round(self.from_pixel + share * (self.to_pixel - self.from_pixel), 1)

    def ticks(self):
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        for steps in ((1,), (1, 2, 5), (1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9)):
            found = [step * 10.0 ** decade for decade in decades for step in steps]
            found = [tick for tick in found if self.low * 0.999 <= tick <= self.high * 1.001]
            if len(found) >= 4:
                return found
        return found


def draw_panel(panel):
    points = [point for series in panel.series for point in series.points]
    x = Axis([point[0] for point in points], LEFT, PANEL_WIDTH - RIGHT)
    y = Axis([point[1] for point in points], PANEL_HEIGHT - BOTTOM, TOP)
    parts = [text(LEFT, 24, panel.title, "title"), text(LEFT, 44, panel.y_name)]
    parts += draw_grid(x, y, panel.y_text or number_text)
    parts.append(text((LEFT + PANEL_WIDTH - RIGHT) / 2, PANEL_HEIGHT - 10, panel.x_name, anchor="middle"))
    for number, series in enumerate(panel.series):
        parts += draw_series(series, x, y, PANEL_HEIGHT + number * LEGEND_LINE + 6)
    return parts


def draw_grid(x, y, y_text):
    parts = []
    for tick in x.ticks():
        parts.append(line(x.at(tick), TOP, x.at(tick), PANEL_HEIGHT - BOTTOM, "grid"))
        parts.append(text(x.at(tick), PANEL_HEIGHT - BOTTOM + 16, number_text(tick), anchor="middle"))
    for tick in y.ticks():
        parts.append(line(LEFT, y.at(tick), PANEL_WIDTH - RIGHT, y.at(tick), "grid"))
        parts.append(text(LEFT - 6, y.at(tick) + 4, y_text(tick), anchor="end"))
    parts.append(f'<rect class="frame" x="{LEFT}" y="{TOP}" width="{PANEL_WIDTH - LEFT - RIGHT}" '
                 f'height="{PANEL_HEIGHT - TOP - BOTTOM}"/>')
    return parts


def draw_series(series, x, y, legend_at):
    colour = f"s{series.colour}"
    dashed = " dashed" if series.dashed else ""
    places = [(x.at(px), y.at(py)) for px, py in sorted(series.points)]
    path = " ".join(f"{px},{py}" for px, py in places)
    parts = [f'<polyline class="{colour} line{dashed}" style="fill:none" points="{path}"/>']
    if not series.dashed:
        parts += [f'<circle class="{colour}" cx="{px}" cy="{py}" r="3"/>' for px, py in places]
    parts.append(line(LEFT, legend_at, LEFT + 26, legend_at, f"{colour} line{dashed}"))
    parts.append(text(LEFT + 34, legend_at + 4, series.name))
    return parts


def line(x1, y1, x2, y2, kind):
    return f'<line class="{kind}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'


def text(x, y, content, kind="", anchor="start"):
    name = f' class="{kind}"' if kind else ""
    return f'<text{name} x="{x}" y="{y}" text-anchor="{anchor}">{escape(content)}</text>'


def number_text(number):
    """1500 is "1,500", 1000000 "1M", 0.25 "0.25"."""
    if number >= 1e6:
        return f"{number / 1e6:g}M"
    return f"{number:,.0f}" if number >= 10 or number == int(number) else f"{number:g}"


def time_text(seconds):
    """0.002 is "2 ms", 60 "60 s"."""
    for unit, name in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit * 0.999:
            return f"{seconds / unit:,.0f} {name}" if seconds / unit >= 9.99 else f"{seconds / unit:.2g} {name}"
    return f"{seconds:g} s"
