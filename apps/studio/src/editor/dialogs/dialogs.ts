/** The dialogs of the editor, which are one script. */
export { ConnectBox } from './connect-dialog.tsx'
export { ExtractBox } from './extract-dialog.tsx'
export { MergeBox } from './merge-dialog.tsx'
export { SaveCaseBox } from './save-case-dialog.tsx'
