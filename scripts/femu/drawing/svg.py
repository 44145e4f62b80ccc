# SPDX-License-Identifier: GPL-2.0-or-later
"""Turns figures into SVG that can stand inside an HTML page: its colours are
the page's, so that it suits a light and a dark one; and into files of their
own. The bytes depend on the figure only.

Knows nothing of what is drawn.
"""

import io
import re

import matplotlib
from matplotlib.figure import Figure
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG

from femu.drawing.page_style import CSS

# The colours of the light page by the names of its CSS variables. All differ,
# so that a colour in an SVG tells its variable.
COLOUR = dict(re.findall(r'--(\w+): (#\w{6})', CSS.split('@media')[0]))
ROLE = {colour: role for role, colour in COLOUR.items()}
ANY_COLOUR = re.compile('|'.join(ROLE))
DPI = 140

STYLE = {
    'svg.fonttype': 'none',
    'svg.hashsalt': 'femu-zns',
    'font.family': 'DejaVu Sans',
    'font.size': 8,
    'text.color': COLOUR['ink'],
    'axes.facecolor': 'none',
    'axes.edgecolor': COLOUR['grid'],
    'axes.labelcolor': COLOUR['muted'],
    'axes.linewidth': 0.8,
    'axes.spines.top': False,
    'axes.spines.right': False,
    'axes.axisbelow': True,
    'axes.grid': True,
    'grid.color': COLOUR['grid'],
    'grid.linewidth': 0.6,
    'xtick.color': COLOUR['grid'],
    'ytick.color': COLOUR['grid'],
    'xtick.labelcolor': COLOUR['muted'],
    'ytick.labelcolor': COLOUR['muted'],
    'xtick.major.size': 3,
    'ytick.major.size': 0,
    'xtick.minor.size': 2,
    'legend.frameon': False,
}

# What matplotlib writes around and into an SVG file that a page has no use
# for: prologue, comments, its style sheet (which would apply to the page).
NOT_FOR_PAGES = re.compile(
    r'<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<style.*?</style>', re.DOTALL)
BLANK_LINES = re.compile(r'\n\s*')


def figure(width_in, height_in):
    """Return: an empty figure. Call it, and draw, inside styled()."""
    fig = Figure(figsize=(width_in, height_in))
    fig.patch.set_visible(False)
    return fig


def styled():
    """Return: a context in which matplotlib draws in the report's style."""
    return matplotlib.rc_context({**matplotlib.rcParamsDefault, **STYLE})


def _svg(fig):
    out = io.StringIO()
    FigureCanvasSVG(fig).print_svg(out, metadata={
        key: None for key in ('Creator', 'Date', 'Format', 'Type')})
    return out.getvalue()


def save(fig, path):
    """Writes FIG, in the colours of the light page, to PATH.svg and PATH.png.
    Call it inside styled()."""
    fig.patch.set(visible=True, facecolor=COLOUR['paper'])
    with open(path + '.svg', 'w', encoding='utf-8') as file:
        file.write(_svg(fig).replace("'DejaVu Sans'",
                                     "'DejaVu Sans', sans-serif"))
    fig.set_dpi(DPI)
    FigureCanvasAgg(fig).print_png(path + '.png',
                                   metadata={'Software': None})


def inline(fig, name, description):
    """Return: FIG as an <svg> element. NAME is unique in the page: it goes
    before every id. DESCRIPTION is for those who cannot see it."""
    svg = NOT_FOR_PAGES.sub('', _svg(fig))
    svg = ANY_COLOUR.sub(lambda match: 'var(--%s)' % ROLE[match[0]], svg)
    svg = re.sub(r'\bid="', 'id="%s-' % name, svg)
    svg = re.sub(r'\bxlink:href="#', 'href="#%s-' % name, svg)
    svg = re.sub(r'\bxlink:href="', 'href="', svg)
    svg = svg.replace('url(#', 'url(#%s-' % name)
    view = re.search(r'viewBox="[^"]*"', svg)[0]
    svg = re.sub(r'<svg[^>]*>', lambda _: '<svg %s role="img" aria-label="%s">'
                 % (view, _attribute(description)), svg, count=1)
    return BLANK_LINES.sub('\n', svg).strip()


def _attribute(text):
    return (text.replace('&', '&amp;').replace('"', '&quot;')
            .replace('<', '&lt;'))
