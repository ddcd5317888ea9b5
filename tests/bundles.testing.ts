/** Tests start programs as they are after `npm ci`: from bundles, made again of sources that have changed since. */
export { bundlePrograms as setup } from '../build/programs.ts'
