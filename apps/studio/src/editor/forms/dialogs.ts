/** The dialogs of the editor, in one bundle. */
export { ConnectBox } from './connect-dialog.tsx'
export { ExtractBox } from './extract-dialog.tsx'
export { MergeBox } from './merge-dialog.tsx'
export { SaveCaseBox } from './save-case-dialog.tsx'
