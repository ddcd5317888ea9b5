export { hash, network, regex, semver, time } from '@engine/expression/functions'
