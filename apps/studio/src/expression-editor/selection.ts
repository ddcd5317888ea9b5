import type { EditorView } from '@codemirror/view'

/**
 * Adopt the browser's selection in the field. CodeMirror does this only when the browser reports the selection, one
 * task later: an update in between would restore the old selection, and typing would not replace the selected text.
 * Call this before each external update of the field.
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
