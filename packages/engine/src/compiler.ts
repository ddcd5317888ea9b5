export { createProgram as compiler } from '@engine/ruleset/core'
