// `npm ci` runs this. Without the development packages there is no bundler: bundles of an earlier build stay, and programs
// without one start from their sources.
const isInstalled = await import('rolldown').then(
  () => true,
  () => false,
)
if (isInstalled) {
  const { bundlePrograms } = await import('./programs.ts')
  await bundlePrograms()
} else process.stdout.write('programs are not bundled: rolldown is not installed\n')
