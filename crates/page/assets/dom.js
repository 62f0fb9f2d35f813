// Elements made of texts: what comes from a server becomes text and nothing else.
//
// What always holds: no text is read as markup; attributes are set by their names, styles through the object model, because the
// policy of content forbids them in markup.

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** An element; children are elements and texts. */
export function el(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** An element of a drawing. */
export function svg(name, attributes, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

/** Sets a text where it is another one: what did not change keeps its selection. */
export function put(node, text) {
  const next = text === null || text === undefined ? '' : String(text);
  if (node.textContent !== next) node.textContent = next;
}

/** A bar that is filled by parts: each has a class, a share of 0 to 1, and words. */
export function bar(parts, label) {
  const pieces = parts.filter((part) => part.share > 0).map((part) => {
    const piece = el('span', { class: `piece ${part.class}`, title: part.words });
    piece.style.width = `${Math.min(part.share, 1) * 100}%`;
    return piece;
  });
  return el('span', { class: 'bar', role: 'img', 'aria-label': label }, pieces);
}
