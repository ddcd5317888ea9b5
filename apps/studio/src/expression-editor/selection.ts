import type { EditorView } from '@codemirror/view'

/**
 * Takes over the selection that the browser has in the field. CodeMirror does so when the browser reports it, a task
 * after it was made: an update in between would put the old selection back, and what is typed next would not replace
 * what was selected. To be called before each update that the field gets from outside.
 */
export function readSelection(editor: EditorView): void {
  const selection = document.getSelection()
  if (!editor.hasFocus || editor.composing || selection === null) return
  const { anchorNode, anchorOffset, focusNode, focusOffset } = selection
  if (anchorNode === null || focusNode === null) return
  if (!editor.contentDOM.contains(anchorNode) || !editor.contentDOM.contains(focusNode)) return
  const [anchor, head] = [editor.posAtDOM(anchorNode, anchorOffset), editor.posAtDOM(focusNode, focusOffset)]
  const { main } = editor.state.selection
  if (anchor !== main.anchor || head !== main.head) editor.dispatch({ selection: { anchor, head } })
}
