// Draws the report that stands in this page as JSON: words first, then every figure with its table
// and its downloads. The content is made by vargp/report; here is only how it looks.
(() => {
  'use strict';
  const report = JSON.parse(document.getElementById('report').textContent);
  const root = document.documentElement;
  // Figures that stand two in a row where there is room.
  const half = (f, section) =>
      ['reliability', 'calibration', 'seconds', 'state', 'validation', 'moved', 'bound'].includes(f.id)
      || ['accuracy', 'paper'].includes(f.id) && section.figures.some(g => g.id === 'paper')
      || f.kind === 'matrix' && section.results.rows.length === 1;
  // Of those beside each other an odd last one has the row for itself.
  function halves(section) {
    const out = section.figures.map(f => half(f, section));
    for (let i = 0, begun = 0; i < out.length; ++i) {
      if (!out[i]) begun = i + 1;
      else if (!out[i + 1] && (i - begun) % 2 === 0) out[i] = false;
    }
    return out;
  }
  const SHOWN = 200;  // rows of a table; the CSV has all

  // Elements. Text is only ever set as text.
  function el(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  }
  const said = (tag, text, attributes = {}) => el(tag, {dir: 'auto', ...attributes}, String(text));

  // Numbers as people read them.
  const FORMATS = {
    text: String,
    integer: v => v.toLocaleString('en', {maximumFractionDigits: 0}),
    number: v => Number(v.toPrecision(5)).toString(),
    percent: v => (100 * v).toFixed(2) + ' %',
    seconds: v => v.toPrecision(3) + ' s',
    bytes: v => v >= 1e6 ? (v / 1e6).toPrecision(3) + ' MB' : (v / 1e3).toPrecision(3) + ' kB',
  };
  const shown = (value, format) =>
      value === null ? '' : typeof value === 'number' ? FORMATS[format](value) : String(value);
  // How an axis writes them; the others as Vega does, which knows how far apart its ticks are.
  const AXIS = {percent: {format: '.4~%'}, integer: {format: 'd'},
                bytes: {labelExpr: "replace(format(datum.value, '~s'), regexp('([kMG]?)$'), ' $1B')"}};
  // A number and its unit stay on one line.
  const unbroken = text => String(text).replace(/(\d|±) (?=%|±|\d|[kM]?B\b|m?s\b|min\b|points\b)/g, '$1\u00a0');

  // Looks.
  const SHAPES = ['circle', 'square', 'triangle-up', 'diamond', 'cross', 'triangle-down',
                  'triangle-right', 'triangle-left'];
  const DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3]];
  function look() {
    const dark = root.dataset.theme === 'dark';
    const css = name => getComputedStyle(root).getPropertyValue(name).trim();
    return {
      dark, card: css('--card'), ink: css('--ink'), soft: css('--soft'), line: css('--line'),
      // Okabe and Ito's colours, that colour-blind people tell apart; their yellow is too pale.
      series: ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9',
               dark ? '#e8ebef' : '#000000', '#8a8f98'],
    };
  }
  function config(l) {
    const font = 'system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif';
    return {
      background: l.card, font, view: {stroke: null},
      axis: {labelColor: l.soft, titleColor: l.soft, gridColor: l.line, domainColor: l.line,
             tickColor: l.line, labelFontSize: 12, titleFontSize: 12, titleFontWeight: 'normal',
             labelPadding: 5, titlePadding: 8},
      legend: {labelColor: l.ink, titleColor: l.soft, labelFontSize: 12, titleFontSize: 12,
               titleFontWeight: 'normal', orient: 'top', symbolSize: 90},
      header: {labelColor: l.ink, labelFontSize: 13, labelLimit: 400, title: null},
      text: {color: l.ink, fontSize: 12}, title: {color: l.ink, fontSize: 13},
    };
  }

  // The rows of a figure as objects. Vega keeps names as keys of objects, where one has a meaning.
  const key = name => name === '__proto__' ? '__proto__\u200b' : name;
  const objects = f =>
      rowsOf(f).map(row => Object.fromEntries(f.columns.map((c, i) => [c.name, key(row[i])])));
  const column = (f, name) => f.columns.find(c => c.name === name);
  const distinct = (data, name) => [...new Set(data.map(d => d[name]))];
  const tooltip = f => f.columns.map(c => ({
    field: c.name, title: c.label, type: c.format === 'text' ? 'nominal' : 'quantitative',
    format: {percent: '.2%', number: '.5~g', seconds: '.3~g', bytes: '.3~s', integer: 'd'}[c.format],
  }));

  // Figures whose numbers would be long as rows hold pictures instead; their rows are made here.
  function rowsOf(f) {
    if (f.kind === 'surfaces') {
      const [low, high] = f.range;
      return f.tiles.flatMap(t => t.grid.flatMap((line, i) => line.map((p, j) => [
        t.model, t.task, t.class, +(low + (high - low) * j / (line.length - 1)).toFixed(6),
        +(low + (high - low) * i / (t.grid.length - 1)).toFixed(6), p])));
    }
    if (f.kind === 'images')
      return f.groups.flatMap(g => g.pixels.flatMap((text, n) => [...bytes(text)].map((p, i) =>
        [g.model, g.task, n + 1, Math.floor(i / g.cols) + 1, i % g.cols + 1, p])));
    return f.rows;
  }
  const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));

  // A picture of cols x rows pixels, as a data URL; colour(i) gives [r, g, b] of pixel i.
  function picture(cols, rows, colour) {
    const canvas = el('canvas', {width: cols, height: rows});
    const context = canvas.getContext('2d');
    const image = context.createImageData(cols, rows);
    for (let i = 0; i < cols * rows; ++i) {
      const [r, g, b] = colour(i);
      image.data.set([r, g, b, 255], 4 * i);
    }
    context.putImageData(image, 0, 0);
    return canvas.toDataURL('image/png');
  }
  const viridis = (() => {  // 256 steps of [r, g, b]
    const scale = vega.scheme('viridis');
    return Array.from({length: 256}, (_, i) => {
      const hex = /^#(..)(..)(..)$/.exec(scale(i / 255));
      return hex ? hex.slice(1).map(h => parseInt(h, 16)) : scale(i / 255).match(/\d+/g).map(Number);
    });
  })();
  const bright = share => viridis[Math.max(0, Math.min(255, Math.round(255 * share)))];
  // The legend of a picture's colours, for which Vega has no mark to ask.
  const gradient = (domain, title, format) => ({
    data: {values: domain.map(v => ({v}))},
    mark: {type: 'rect', opacity: 0, tooltip: false, aria: false},
    encoding: {
      x: {value: 0}, y: {value: 0},
      color: {field: 'v', type: 'quantitative', scale: {scheme: 'viridis', domain},
              legend: {title, orient: 'bottom', gradientLength: 160, ...(format ? {format, values: [0, .5, 1]} : {labelOpacity: 0})}},
    },
  });
  const place = (field, length, reverse) => ({
    field, type: 'quantitative', axis: null,
    scale: {domain: reverse ? [length, 0] : [0, length], nice: false, zero: false},
  });

  // One function for each kind of figure: (figure, width in pixels, look) to a Vega-Lite spec.
  const KINDS = {
    lines(f, width, l) {
      const data = objects(f).map(d => ({
        ...d, low: Math.max(f.zero ? 0 : -Infinity, d[f.y] - (d.deviation || 0)), high: d[f.y] + (d.deviation || 0)}));
      const format = column(f, f.y).format, names = distinct(data, f.series);
      const xs = distinct(data, f.x), last = Math.max(...xs);
      const many = names.length > 1;
      const columns = Math.max(1, Math.floor(width / (30 + 7.5 * Math.max(...names.map(n => String(n).length)))));
      const colour = f.ordered
        ? {field: f.series, type: 'ordinal', scale: {scheme: 'viridis'}}
        : {field: f.series, type: 'nominal', sort: names, scale: {domain: names, range: names.map((_, i) => l.series[i % 8])}};
      const title = f.ordered ? column(f, f.series).label : null;
      const legend = many ? {title, columns, labelLimit: width - 110, symbolOpacity: 1, symbolDash: [], symbolStrokeWidth: 0} : null;
      colour.legend = legend;
      const x = {field: f.x, type: 'quantitative', title: f.x_title,
                 scale: {domain: [Math.min(1, ...xs), Math.max(last, 1.01)], nice: false, padding: 12},
                 axis: {values: xs.filter(v => last <= 12 || v % Math.ceil(last / 10) === 0), format: 'd', grid: false}};
      const y = {field: f.y, type: 'quantitative', title: f.y_title,
                 scale: {zero: !!f.zero}, axis: {tickCount: 6, ...AXIS[format]}};
      const series = f.ordered ? {} : {
        shape: {field: f.series, type: 'nominal', sort: names, scale: {domain: names, range: names.map((_, i) => SHAPES[i % 8])}, legend},
      };
      const dash = f.ordered ? {} : {
        strokeDash: {field: f.series, type: 'nominal', sort: names, scale: {domain: names, range: names.map((_, i) => DASHES[Math.floor(i / 8 + i % 4) % 4])}, legend},
      };
      const layer = [
        {mark: {type: 'line', strokeWidth: 2.2, tooltip: false, aria: false}, encoding: {x, y, color: colour, ...dash}},
        {mark: {type: 'point', filled: true, size: 70, opacity: 1}, encoding: {x, y, color: colour, ...series, tooltip: tooltip(f)}},
      ];
      if (data.some(d => d.deviation > 0)) layer.unshift({
        mark: {type: 'area', fillOpacity: .16, tooltip: false, aria: false}, transform: [{filter: 'datum.deviation > 0'}],
        encoding: {x, y: {...y, field: 'low'}, y2: {field: 'high'}, color: colour}});
      const height = Math.min(340, Math.max(220, width * .62));
      return {width, height: width > 420 ? Math.max(height, f.height || 0) : height, autosize: {type: 'fit', contains: 'padding'},
              data: {values: data}, layer};
    },

    dots(f, width, l) {
      const data = objects(f).map((d, i) => ({...d, i, low: d.mean - (d.deviation || 0), high: d.mean + (d.deviation || 0)}));
      const legend = {title: null, columns: width < 420 ? 1 : 2};
      const colour = {field: 'from', type: 'nominal', legend,
                      scale: {domain: ['this report', 'the paper'], range: [l.series[0], l.series[1]]}};
      const y = {field: 'method', type: 'nominal', sort: {field: 'i'}, title: null,
                 axis: {labelLimit: width * .5, labelColor: l.ink, grid: true, gridDash: [1, 3]}};
      const x = {field: 'mean', type: 'quantitative', title: 'accuracy', scale: {zero: false}, axis: {format: '.0%', tickCount: 6}};
      return {width, height: 40 + 24 * data.length, autosize: {type: 'fit', contains: 'padding'}, data: {values: data}, layer: [
        {mark: {type: 'rule', strokeWidth: 2, tooltip: false, aria: false}, encoding: {y, x: {...x, field: 'low'}, x2: {field: 'high'}, color: colour}},
        {mark: {type: 'point', filled: true, size: 90, opacity: 1}, encoding: {y, x, color: colour,
         shape: {field: 'from', type: 'nominal', legend, scale: {domain: ['this report', 'the paper'], range: ['circle', 'diamond']}}, tooltip: tooltip(f)}},
      ]};
    },

    // Rows of each task, in the colours of their classes: the largest, as many as there are colours.
    bars(f, width, l) {
      const data = objects(f).map(d => ({class: '', ...d})), sums = new Map();
      for (const d of data) sums.set(d.class, (sums.get(d.class) || 0) + d.rows);
      const names = [...sums.keys()].sort((a, b) => sums.get(b) - sums.get(a));
      const rest = names.length > 8 ? names.splice(7) : [];
      if (rest.length) names.push(`${rest.length} other classes`);
      const bars = new Map();
      for (const d of data) {
        const rank = rest.includes(d.class) ? 7 : names.indexOf(d.class), key = `${d.task} ${rank}`;
        const label = d.source ? `${d.task}: ${d.source}` : `task ${d.task}`;
        const bar = bars.get(key) || {...d, label, rank, class: names[rank], rows: 0, new: rank < 7 || !rest.length ? d.new : ''};
        bar.rows += d.rows;
        bars.set(key, bar);
      }
      const values = [...bars.values()], labels = distinct(values, 'label');
      const labelLimit = Math.min(240, .7 * width - 40);
      const columns = Math.max(1, Math.floor(width / (30 + Math.min(labelLimit, 7.5 * Math.max(...names.map(n => n.length))))));
      const band = Math.max(9, Math.min(30, 900 / labels.length));
      return {width, height: 60 + 17 * Math.ceil(names.length / columns) + band * labels.length, autosize: {type: 'fit', contains: 'padding'}, data: {values},
        mark: {type: 'bar', stroke: l.card, strokeWidth: 1},
        encoding: {
          y: {field: 'label', type: 'nominal', sort: labels, title: null, axis: {labelLimit: width * .3, labelColor: l.ink, labelOverlap: 'parity', ticks: false}},
          x: {field: 'rows', type: 'quantitative', title: 'rows', stack: 'zero', axis: {tickCount: Math.min(8, Math.floor(width / 90)), format: '~s'}},
          order: {field: 'rank'},
          color: {field: 'class', type: 'nominal', sort: names, scale: {domain: names, range: l.series},
                  legend: names.length > 1 ? {title: null, columns, labelLimit, symbolType: 'square'} : null},
          tooltip: tooltip(f),
        }};
    },

    matrix(f, width, l) {
      const data = objects(f), models = distinct(data, 'model');
      const T = Math.max(...data.map(d => d.on)), format = column(f, 'mean').format;
      const columns = Math.max(1, Math.min(models.length, Math.floor(width / 280)));
      const side = Math.min(360, 90 * T, Math.floor(width / columns) - 62);
      const rows = Math.max(...data.map(d => d.after)), cell = side / T;
      const domain = f.domain || [0, 1];
      const axis = {labelAngle: 0, labelOverlap: true, domain: false, ticks: false};
      const x = {field: 'on', type: 'ordinal', title: 'on task', axis};
      const y = {field: 'after', type: 'ordinal', title: 'after task', axis};
      const layer = [{mark: {type: 'rect', stroke: l.card, strokeWidth: 1}, encoding: {x, y, tooltip: tooltip(f),
        color: {field: 'mean', type: 'quantitative', scale: {scheme: 'viridis', domain},
                legend: {title: column(f, 'mean').label, orient: 'bottom', gradientLength: Math.min(200, width - 40), format: format === 'percent' ? '.0%' : '~g', values: [domain[0], (domain[0] + domain[1]) / 2, domain[1]]}}}}];
      if (cell >= 34) layer.push({
        mark: {type: 'text', fontSize: cell >= 52 ? 12 : 10, tooltip: false, aria: false},
        encoding: {x, y, text: {field: 'mean', type: 'quantitative', format: format === 'percent' ? (cell >= 44 ? '.1%' : '.0%') : '.2f'},
                   color: {condition: {test: `datum.mean > ${domain[0] + .55 * (domain[1] - domain[0])}`, value: '#000'}, value: '#fff'}}});
      const spec = {width: side, height: Math.round(cell * rows), layer};
      return models.length === 1 ? {data: {values: data}, ...spec}
        : {data: {values: data}, facet: {field: 'model', type: 'nominal', sort: models, header: {labelLimit: side}}, columns, spec, spacing: 18,
           resolve: {axis: {x: 'independent', y: 'independent'}}};
    },

    reliability(f, width, l) {
      const data = objects(f), names = distinct(data, 'model'), side = Math.min(width, 460);
      const colour = {field: 'model', type: 'nominal', sort: names, scale: {domain: names, range: names.map((_, i) => l.series[i % 8])},
                      legend: names.length > 1 ? {title: null, columns: Math.max(1, Math.floor(side / (30 + 7.5 * Math.max(...names.map(n => n.length))))), labelLimit: side - 110} : null};
      const axis = {format: '.0%', tickCount: 5};
      const x = {field: 'confidence', type: 'quantitative', scale: {domain: [0, 1]}, title: 'confidence', axis};
      const y = {field: 'accuracy', type: 'quantitative', scale: {domain: [0, 1]}, title: 'accuracy', axis};
      return {width: side, height: Math.min(side, 380), autosize: {type: 'fit', contains: 'padding'}, layer: [
        {data: {values: [{confidence: 0, accuracy: 0}, {confidence: 1, accuracy: 1}]},
         mark: {type: 'line', strokeDash: [4, 4], color: l.soft, tooltip: false, aria: false}, encoding: {x, y}},
        {data: {values: data}, mark: {type: 'line', strokeWidth: 1.5, opacity: .7, tooltip: false, aria: false}, encoding: {x, y, color: colour}},
        {data: {values: data}, mark: {type: 'point', filled: true, opacity: .85}, encoding: {x, y, color: colour, tooltip: tooltip(f),
         size: {field: 'count', type: 'quantitative', scale: {type: 'sqrt', range: [20, 360]}, legend: null}}},
      ]};
    },

    curves(f, width, l) {
      const data = objects(f), models = distinct(data, 'model');
      const ends = {};
      for (const d of data) {
        d.panel = models.length > 1 ? `${d.model}: ${d.quantity}` : d.quantity;
        const key = `${d.panel}\n${d.task}`;
        if (!ends[key] || ends[key].epoch < d.epoch) ends[key] = d;
      }
      for (const d of Object.values(ends)) d.stop = true;
      const columns = Math.max(1, Math.min(distinct(data, 'quantity').length, Math.floor(width / 205)));
      const x = {field: 'epoch', type: 'quantitative', title: 'epoch', axis: {grid: false, tickCount: 4, format: 'd', tickMinStep: 1}, scale: {zero: false}};
      const y = {field: 'value', type: 'quantitative', title: null, scale: {zero: false, nice: 4}, axis: {tickCount: 4, labelExpr: "format(datum.value, '~s')", minExtent: 34, maxExtent: 34}};  // a tick on top of each: so their headings stand in line
      const colour = {field: 'task', type: 'ordinal', title: 'task', scale: {scheme: 'viridis', domain: distinct(data, 'task')}, legend: {symbolType: 'circle'}};
      return {data: {values: data}, columns, spacing: 26,
        facet: {field: 'panel', type: 'nominal', sort: distinct(data, 'panel'), header: {labelFontSize: 12, labelLimit: Math.floor(width / columns) - 40}},
        spec: {width: Math.floor(width / columns) - 74, height: 140, layer: [
          {mark: {type: 'line', strokeWidth: 1.8, tooltip: false, aria: false}, encoding: {x, y, color: colour}},
          {transform: [{filter: 'datum.stop'}], mark: {type: 'point', filled: true, size: 60, opacity: 1}, encoding: {x, y, color: colour, tooltip: tooltip(f)}},
        ]},
        resolve: {scale: {y: 'independent', x: 'independent'}}};
    },

    surfaces(f, width, l) {
      // A block of tiles for each model and task. The tasks of a model stand beside each other where
      // there is room, else below each other.
      const classes = distinct(f.tiles, 'class'), [low, high] = f.range;
      const models = distinct(f.tiles, 'model'), tasks = distinct(f.tiles, 'task');
      const gap = 6, between = 26, head = 24, band = 22;
      const fitting = across => Math.floor(((width + between) / across - between + gap) / classes.length - gap);
      const across = fitting(tasks.length) >= 110 ? tasks.length : 1;
      const size = Math.min(190, fitting(across)), wide = classes.length * (size + gap) - gap;
      const blocks = new Map();
      for (const {model, task} of f.tiles) {
        const key = `${model}\n${task}`, n = blocks.size;
        if (blocks.has(key)) continue;
        const row = across > 1 ? models.indexOf(model) : n, column = across > 1 ? tasks.indexOf(task) : 0;
        blocks.set(key, {text: models.length > 1 ? `${model}, after task ${task}` : `after task ${task}`,
                         x: column * (wide + between), y: head + band + row * (band + size + gap)});
      }
      const keys = [...blocks.values()], height = Math.max(...keys.map(k => k.y)) + size + gap;
      const shift = c => classes.indexOf(c) * (size + gap);
      const tiles = f.tiles.map(t => {
        const {x, y} = blocks.get(`${t.model}\n${t.task}`), rows = t.grid.length, cols = t.grid[0].length;
        return {...t, grid: undefined, x: x + shift(t.class), y,
                url: picture(cols, rows, i => bright(t.grid[rows - 1 - Math.floor(i / cols)][i % cols]))};
      });
      const points = tiles.flatMap(t => f.points.filter(p => p[3] === t.class && p[0] <= t.task).map(p => ({
        x: t.x + size * (p[1] - low) / (high - low), y: t.y + size * (high - p[2]) / (high - low)})));
      const heads = distinct(keys, 'x').flatMap(x => classes.map(c => ({text: `class ${c}`, x: x + shift(c) + size / 2, y: 14})));
      const used = across * (wide + between) - between;
      const x = place('x', used), y = place('y', height, true);
      return {width: used, height, layer: [
        {data: {values: tiles}, mark: {type: 'image', width: size, height: size, align: 'left', baseline: 'top', tooltip: false},
         encoding: {x, y, url: {field: 'url'}, description: {field: 'class'}}},
        {data: {values: points}, mark: {type: 'point', filled: true, size: 9, color: '#ffffff', stroke: '#000000', strokeWidth: .6, opacity: .9, tooltip: false, aria: false}, encoding: {x, y}},
        {data: {values: keys.map(k => ({...k, y: k.y - 7}))}, mark: {type: 'text', align: 'left', baseline: 'alphabetic', limit: wide, tooltip: false}, encoding: {x, y, text: {field: 'text'}}},
        {data: {values: heads}, mark: {type: 'text', align: 'center', color: l.soft, tooltip: false}, encoding: {x, y, text: {field: 'text'}}},
        gradient([0, 1], 'probability', '~g'),
      ]};
    },

    images(f, width, l) {
      const models = distinct(f.groups, 'model'), band = 24, gap = 8;
      const cell = width < 500 ? 38 : 44, fit = Math.floor(width / cell);
      const across = [24, 12, 8, 6].find(n => n <= fit) || 1;
      let y = 0;
      const items = f.groups.map(g => {
        const n = g.pixels.length, cols = Math.min(across, n), rows = Math.ceil(n / cols);
        const pixels = g.pixels.map(bytes), W = cols * (g.cols + 2), H = rows * (g.rows + 2);
        const url = picture(W, H, i => {
          const px = i % W, py = Math.floor(i / W);
          const col = Math.floor(px / (g.cols + 2)), row = Math.floor(py / (g.rows + 2));
          const u = px % (g.cols + 2) - 1, v = py % (g.rows + 2) - 1, n_ = row * cols + col;
          if (n_ >= n || u < 0 || v < 0 || u >= g.cols || v >= g.rows) return l.dark ? [26, 32, 39] : [255, 255, 255];
          const p = pixels[n_][v * g.cols + u], grey = l.dark ? p : 255 - p;
          return [grey, grey, grey];
        });
        y += band;
        const item = {text: models.length > 1 ? `${g.model}, task ${g.task}` : `task ${g.task}`, x: 0, y, label: y - 7, url, w: cols * cell, h: rows * cell};
        y += rows * cell + gap;
        return item;
      });
      const used = Math.max(...items.map(i => i.w));
      const X = place('x', used), Y = place('y', y, true);
      return {width: used, height: y, layer: [
        ...items.map(i => ({data: {values: [i]}, mark: {type: 'image', width: i.w, height: i.h, align: 'left', baseline: 'top', aspect: false, tooltip: false},
                            encoding: {x: X, y: Y, url: {field: 'url'}, description: {field: 'text'}}})),
        {data: {values: items}, mark: {type: 'text', align: 'left', baseline: 'alphabetic', limit: used, tooltip: false}, encoding: {x: X, y: {...Y, field: 'label'}, text: {field: 'text'}}},
      ]};
    },

    inputs(f, width, l) {
      const data = objects(f).map(d => ({model: '', ...d})).filter(d => d.input !== 'all');
      const models = distinct(data, 'model'), [rows, cols] = f.image;
      if (rows * cols > 0 && models.every(m => data.filter(d => d.model === m).length === rows * cols)) {
        const what = [['lengthscale', d => Math.log(d.lengthscale)], ['deviation of log', d => d.deviation]]
          .filter(([, of]) => data.some(d => of(d)));
        const band = 40, gap = 14, each = Math.min(220, Math.floor((width - gap) / 2));
        const across = Math.max(1, Math.floor((width + gap) / (what.length * (each + gap)))) * what.length;
        const items = models.flatMap(m => what.map(([text, of]) => {
          const values = data.filter(d => d.model === m).map(of);
          const low = Math.min(...values), high = Math.max(...values);
          const range = [low, high].map(v => (text === 'lengthscale' ? Math.exp(v) : v).toPrecision(2)).join(' to ');
          return {text: `${models.length > 1 ? `${m}: ` : ''}${text}\n${range}`,
                  url: picture(cols, rows, i => bright((values[i] - low) / (high - low || 1)))};
        })).map((item, i) => ({...item, x: i % across * (each + gap), y: Math.floor(i / across) * (each + band + gap) + band,
                               label: Math.floor(i / across) * (each + band + gap) + band - 18}));
        const used = Math.min(across, items.length) * (each + gap) - gap;
        const height = Math.ceil(items.length / across) * (each + band + gap);
        const X = place('x', used), Y = place('y', height, true);
        return {width: used, height, layer: [
          {data: {values: items}, mark: {type: 'image', width: each, height: each, align: 'left', baseline: 'top', tooltip: false, smooth: false}, encoding: {x: X, y: Y, url: {field: 'url'}, description: {field: 'text'}}},
          {data: {values: items}, mark: {type: 'text', align: 'left', baseline: 'line-bottom', lineBreak: '\n', fontSize: 11, limit: each, tooltip: false}, encoding: {x: X, y: {...Y, field: 'label'}, text: {field: 'text'}}},
          gradient([0, 1], 'lowest to highest', null),
        ]};
      }
      for (const d of data) {
        d.low = d.lengthscale * Math.exp(-(d.deviation || 0));
        d.high = d.lengthscale * Math.exp(d.deviation || 0);
      }
      const named = column(f, 'input').format === 'text';
      const colour = {field: 'model', type: 'nominal', sort: models, scale: {domain: models, range: models.map((_, i) => l.series[i % 8])},
                      legend: models.length === 1 ? null : {title: null, columns: 2, labelLimit: width - 60}};
      const label = {labelLimit: width * .3, labelColor: l.ink};
      let y = {field: 'input', type: 'ordinal', title: 'input'};
      let x = {field: 'lengthscale', type: 'quantitative', title: 'lengthscale', scale: {zero: false}, axis: {tickCount: 6}};
      let values = data;
      const more = [];
      if (named) {  // the first, which matter most; what they are in their units stands at the right
        const names = distinct(data, 'input').slice(0, 30);
        values = data.filter(d => names.includes(d.input));
        const low = Math.min(...values.map(d => d.low)), high = Math.max(...values.map(d => d.high));
        const room = Math.pow(high / low, width < 500 ? .35 : .18), units = column(f, 'units');
        y = {field: 'input', type: 'nominal', title: null, sort: names, axis: {...label, grid: true, gridDash: [1, 3]}};
        x = {...x, title: units ? (width < 500 ? ['lengthscale, in deviations', 'of the column;', 'at the right in its units'] : ['lengthscale, in deviations of the column;', 'at the right in its units']) : 'lengthscale',
             scale: {type: 'log', nice: false, domain: [low / Math.pow(high / low, .04), high * (units ? room : 1.1)]}, axis: {tickCount: 5, format: '~g', grid: false}};
        if (units) more.push({mark: {type: 'text', align: 'right', color: l.soft, tooltip: false, aria: false},
                              encoding: {y, x: {value: 'width'}, text: {field: 'units', type: 'quantitative', format: '.3~g'}}});
      }
      const count = distinct(values, 'input').length;
      return {width, height: 50 + Math.min(26, 900 / count) * count, autosize: {type: 'fit', contains: 'padding'}, data: {values}, layer: [
        {mark: {type: 'rule', strokeWidth: 2, tooltip: false, aria: false}, encoding: {y, x: {...x, field: 'low'}, x2: {field: 'high'}, color: colour}},
        {mark: {type: 'point', filled: true, size: 80, opacity: 1}, encoding: {y, x, color: colour, tooltip: tooltip(f)}},
        ...more,
      ]};
    },
  };

  // Tables.
  function table(columns, rows, numeric) {
    const head = el('tr');
    columns.forEach((c, i) => head.append(said('th', c, {scope: 'col', ...(numeric(i) ? {class: 'right'} : {})})));
    const body = el('tbody');
    for (const row of rows) {
      const line = el('tr');
      row.forEach((cell, i) => line.append(said('td', cell, {class: numeric(i) ? 'right' : String(cell).length > 24 ? 'wrap' : ''})));
      body.append(line);
    }
    return el('table', {}, el('thead', {}, head), body);
  }
  const scroll = (label, content) => el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label}, content);

  // Downloads.
  function save(name, content, type) {
    const url = typeof content === 'string' && content.startsWith('data:') ? content
      : URL.createObjectURL(new Blob([content], {type}));
    el('a', {href: url, download: name}).click();
    if (url.startsWith('blob:')) setTimeout(() => URL.revokeObjectURL(url), 1000);
  }
  function csv(f) {
    const cell = v => {
      if (v === null || typeof v === 'number') return v === null ? '' : String(v);
      const text = /^[=+\-@\t\r]/.test(v) ? `'${v}` : v;  // a spreadsheet would run it
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    return [f.columns.map(c => c.label), ...rowsOf(f)].map(r => r.map(cell).join(',')).join('\r\n') + '\r\n';
  }

  // The numbers behind a figure.
  function numbers(f) {
    const rows = rowsOf(f), formats = f.columns.map(c => c.format);
    const out = el('div', {}, scroll(`Numbers: ${f.name}`, table(
      f.columns.map(c => c.label), rows.slice(0, SHOWN).map(r => r.map((v, i) => shown(v, formats[i]))), i => formats[i] !== 'text')));
    if (rows.length > SHOWN)
      out.append(said('p', `The first ${SHOWN} of ${rows.length.toLocaleString('en')} rows; the CSV has all.`, {class: 'note'}));
    return out;
  }

  // A figure: what is seen, how to read it, the chart, its numbers and its downloads. One that is a
  // table has no chart.
  const charts = [];
  function figure(f, id, isHalf) {
    const chart = f.kind === 'table' ? numbers(f) : el('div', {class: 'chart', 'data-state': 'waiting'});
    const tools = el('div', {class: 'tools'});
    const heading = said('h3', unbroken(f.title), {id: `${id}-title`});
    const card = el('section', {class: isHalf ? 'card half' : 'card', id, 'aria-labelledby': `${id}-title`, 'data-kind': f.kind},
      said('p', f.name, {class: 'eyebrow'}), heading, said('p', unbroken(f.caption), {class: 'caption'}), chart, tools);
    let view = null, drawing = null;
    const draw = () => drawing = redraw();
    const drawn = async () => { await (drawing || draw()); return view; };
    async function redraw() {
      const width = chart.clientWidth, l = look();
      if (!width) return;
      state.width = width;
      try {
        const spec = {...KINDS[f.kind](f, width, l), config: config(l), description: `${f.title}. ${f.caption}`};
        spec.$schema = 'https://vega.github.io/schema/vega-lite/v6.json';
        if (view) view.finalize();
        const result = await vegaEmbed(chart, spec, {
          actions: false, renderer: 'svg', ast: true, defaultStyle: false, tooltip: {disableDefaultStyle: true}});
        view = result.view;
        chart.dataset.state = 'drawn';
      } catch (error) {
        chart.dataset.state = 'failed';
        chart.textContent = 'This chart could not be drawn; its numbers are in the table.';
        console.error(`${id}: ${error}`);
      }
    }
    const state = {chart, draw, width: 0, begun: false};
    const button = (text, what, act) => {
      const b = el('button', {type: 'button', 'aria-label': `${what}: ${f.name}`}, text);
      b.addEventListener('click', act);
      tools.append(b);
      return b;
    };
    const drawable = f.kind !== 'table';
    if (drawable) {
      charts.push(state);
      let shownTable = null;
      const toggle = button('Table', 'Table of the numbers', () => {
        if (!shownTable) {
          shownTable = numbers(f);
          shownTable.hidden = true;
          card.append(shownTable);
        }
        shownTable.hidden = !shownTable.hidden;
        toggle.setAttribute('aria-expanded', String(!shownTable.hidden));
      });
      toggle.setAttribute('aria-expanded', 'false');
    }
    button('CSV', 'Save the numbers as CSV', () => save(`${id}.csv`, csv(f), 'text/csv'));
    if (drawable) {
      button('SVG', 'Save the chart as SVG', async () => save(`${id}.svg`, await (await drawn()).toSVG(), 'image/svg+xml'));
      button('PNG', 'Save the chart as PNG', async () => save(`${id}.png`, await (await drawn()).toImageURL('png', 2)));
    }
    return card;
  }

  // The page.
  document.querySelector('h1').textContent = report.title;
  const main = document.getElementById('main'), nav = document.querySelector('nav');
  report.sections.forEach((section, s) => {
    const part = el('section', {'aria-labelledby': `part-${s}`});
    part.append(said('h2', report.sections.length > 1 ? section.title : 'Summary', {id: `part-${s}`}));
    const summary = el('div', {class: 'summary'});
    for (const {lead, text} of section.summary) summary.append(el('p', {dir: 'auto'}, ...(lead ? [el('strong', {}, lead), ' '] : []), unbroken(text)));
    part.append(summary, scroll('Results', table(section.results.columns, section.results.rows,
      i => section.results.align ? section.results.align[i] === 'r' : i > 0)));
    if (report.sections.length > 1) nav.append(el('strong', {}, said('a', section.title, {href: `#part-${s}`})));
    const grid = el('div', {class: 'figures'});
    // As high as the figure beside it.
    const [accuracy, paper, reliability, calibration] = ['accuracy', 'paper', 'reliability', 'calibration'].map(id => section.figures.find(f => f.id === id));
    if (paper) accuracy.height = Math.min(480, 40 + 24 * paper.rows.length);
    if (reliability && calibration) calibration.height = 420;
    const isHalf = halves(section);
    section.figures.forEach((f, i) => {
      const id = report.sections.length > 1 ? `${f.id}-${s}` : f.id;
      grid.append(figure(f, id, isHalf[i]));
      nav.append(said('a', f.name, {href: `#${id}`}));
    });
    part.append(grid);
    for (const [name, title] of [['columns', 'Columns'], ['settings', 'Settings'], ['environment', 'Environment']])
      if (section[name]?.rows.length)
        part.append(el('details', {class: 'more', id: `${name}-${s}`}, el('summary', {}, title),
                       scroll(title, table(section[name].columns, section[name].rows, () => false))));
    main.append(part);
  });
  document.querySelector('footer').textContent = `Made by vargp ${report.version}. This file is complete: it loads nothing from elsewhere.`;

  // Light and dark.
  const theme = document.getElementById('theme');
  function paint(name) {
    root.dataset.theme = name;
    theme.textContent = name === 'dark' ? 'Light' : 'Dark';
    theme.setAttribute('aria-label', `Switch to ${name === 'dark' ? 'light' : 'dark'} colours`);
  }
  const prefers = matchMedia('(prefers-color-scheme: dark)');
  paint(prefers.matches ? 'dark' : 'light');
  const repaint = name => { paint(name); for (const c of charts) if (c.begun) c.draw(); };
  prefers.addEventListener('change', () => repaint(prefers.matches ? 'dark' : 'light'));
  theme.addEventListener('click', () => repaint(root.dataset.theme === 'dark' ? 'light' : 'dark'));

  // Charts in sight are drawn first, the others when there is time.
  const begin = c => { if (!c.begun) { c.begun = true; return c.draw(); } };
  const sight = new IntersectionObserver(entries => {
    for (const e of entries) if (e.isIntersecting) begin(charts.find(c => c.chart === e.target));
  }, {rootMargin: '200px'});
  for (const c of charts) sight.observe(c.chart);
  const idle = window.requestIdleCallback || (f => setTimeout(f, 30));
  const next = () => {
    const c = charts.find(x => !x.begun);
    if (c) idle(async () => { await begin(c); next(); });
  };
  next();
  let timer = 0;
  new ResizeObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      for (const c of charts) if (c.begun && c.width && c.chart.clientWidth !== c.width) c.draw();
    }, 150);
  }).observe(main);

  // Served by `vargp report --watch`: ask for news, and show them.
  if ('stamp' in document.body.dataset) {
    const ask = () => setTimeout(async () => {
      try {
        const now = await (await fetch('stamp')).text();
        // Once: to load anew while that goes on would begin it again, on a busy machine for ever.
        if (now !== document.body.dataset.stamp) return location.reload();
      } catch { /* the server has ended; the page stays */ }
      ask();
    }, 1500);
    ask();
  }
})();
