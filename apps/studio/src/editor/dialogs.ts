/** The dialogs of the editor, which are one script. */
export { ConnectBox } from './connect-box.tsx'
export { ExtractBox } from './extract-box.tsx'
export { MergeBox } from './merge-box.tsx'
export { SaveCaseBox } from './save-case-box.tsx'
