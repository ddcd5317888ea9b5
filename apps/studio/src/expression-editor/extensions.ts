import { tokenize } from '@engine/expression'
import { RangeSetBuilder } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, hoverTooltip, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import { tokenClass } from '../ui/expression.tsx'
import type { Known } from './complete.ts'

const marks = new Map<string, Decoration>()

function markOf(name: string): Decoration {
  const known = marks.get(name) ?? Decoration.mark({ class: name })
  marks.set(name, known)
  return known
}

/** Highlights with the engine's own lexer, so that the language has a single definition. */
export const colours = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet
    constructor(view: EditorView) {
      this.decorations = decorated(view)
    }
    update({ docChanged, view }: ViewUpdate) {
      if (docChanged) this.decorations = decorated(view)
    }
  },
  { decorations: ({ decorations }) => decorations },
)

function decorated({ state }: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>()
  const { tokens } = tokenize(state.doc.toString())
  for (const [index, token] of tokens.entries()) {
    const name = tokenClass(token, tokens[index + 1])
    if (name !== undefined && token.end > token.start) builder.add(token.start, token.end, markOf(name))
  }
  return builder.finish()
}

/** Shows the signature of the function, or the type of the field, under the pointer. */
export const hints = (known: () => Known) =>
  hoverTooltip(({ state }, at) => {
    const word = /[$\p{ID_Start}_][\p{ID_Continue}.]*/gu
    for (const { 0: text, index } of state.doc.toString().matchAll(word)) {
      if (at < index || at > index + text.length) continue
      const shown = hintOf(known(), text)
      return shown === undefined
        ? null
        : { pos: index, end: index + text.length, above: true, create: () => ({ dom: hintElement(shown) }) }
    }
    return null
  })

function hintOf({ functions, fields }: Known, text: string): readonly [string, string] | undefined {
  const called = functions.find(({ name }) => name === text)
  if (called !== undefined) return [`${called.signature}: ${called.returns}`, called.summary]
  const field = fields.find(({ path }) => path === text)
  return field && [`${field.path}: ${field.type}`, field.description]
}

function hintElement([head, text]: readonly [string, string]): HTMLElement {
  const element = document.createElement('div')
  element.className = 'hint-box'
  const code = document.createElement('code')
  code.textContent = head
  const words = document.createElement('div')
  words.textContent = text
  element.append(code, words)
  return element
}

/** Styles of both editors; CodeMirror inserts them as a style sheet with the nonce of the page. */
export const theme = EditorView.theme({
  '&': { backgroundColor: 'transparent', color: 'var(--text)', fontSize: '12.5px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-content': {
    fontFamily: 'var(--mono)',
    fontVariantLigatures: 'none',
    padding: '6px 9px',
    caretColor: 'var(--text)',
    lineHeight: '18px',
  },
  '.cm-line': { padding: '0' },
  '.cm-scroller': { overflow: 'auto', lineHeight: '18px', fontFamily: 'var(--mono)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--text-3)', border: '0' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selected)',
  },
  '.cm-tooltip': {
    background: 'var(--surface)',
    border: '1px solid var(--line)',
    borderRadius: '8px',
    boxShadow: 'var(--shadow-2)',
    color: 'var(--text)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mono)',
    fontSize: '12px',
    maxHeight: '240px',
    padding: '4px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    padding: '4px 8px',
    borderRadius: '4px',
    display: 'flex',
    gap: '12px',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--selected)', color: 'var(--text)' },
  '.cm-completionLabel': { flex: '1' },
  '.cm-completionDetail': { color: 'var(--text-3)', fontStyle: 'normal' },
  '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--accent)', fontWeight: '650' },
  '.cm-completionInfo': { padding: '8px 10px', maxWidth: '280px', whiteSpace: 'pre-line' },
  '.hint-box': { padding: '6px 10px', maxWidth: '360px' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad-line) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--bad-line)' },
  '.cm-matchingBracket': { background: 'var(--selected)', outline: '1px solid var(--accent)' },
  '.cm-placeholder': { color: 'var(--text-3)' },
})

/** The nonce that the platform wrote into the page. */
export const nonce = () =>
  EditorView.cspNonce.of(document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? '')
