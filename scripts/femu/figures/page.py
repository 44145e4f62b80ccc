# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of all figures that were drawn.

Knows nothing of simulations, and of how a figure is drawn.
"""

from html import escape

from femu.drawing import page_style


def section(name, title, note, panels):
    """Return: the HTML of one figure. NOTE: what a reader must know, PANELS:
    its pictures."""
    return ('<section id="figure-%s">\n<h2>%s</h2>\n<p class="note">%s '
            '<a href="figure-%s.svg">SVG</a> <a href="figure-%s.png">PNG</a>'
            '</p>\n<div class="panels large">\n%s\n</div>\n</section>' % (
                name, escape(title), escape(note), name, name,
                '\n'.join('<div>%s</div>' % panel for panel in panels)))


def write(path, sections, titles, summary):
    """Writes the page. TITLES: {name: title} of what SECTIONS show."""
    links = ' '.join('<a class="badge" href="#figure-%s">%s</a>' % (
        name, escape(title)) for name, title in titles.items())
    body = ('<header>\n<p class="product">femu-zns</p>\n<h1>Figures</h1>\n'
            '<p>%s</p>\n<p class="badges">%s</p>\n<p>Every point: '
            '<a href="points.csv">points.csv</a>; those that are published, '
            'with the errors: <a href="table.md">table.md</a>.</p>\n'
            '</header>\n%s' % (escape(summary), links, '\n'.join(sections)))
    with open(path, 'w', encoding='utf-8') as file:
        file.write(page_style.page('Figures', body))
