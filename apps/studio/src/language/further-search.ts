export { furtherSearch } from '@engine/analysis'
