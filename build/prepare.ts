// `npm ci` runs this, so that `npm start` has programs that start quickly, and pages to serve. Without the development packages
// there is no bundler: the files of an earlier build stay, and programs without a bundle start from their sources.
const isInstalled = await import('vite').then(
  () => true,
  () => false,
)
if (isInstalled) {
  const { bundlePrograms } = await import('./programs.ts')
  // All of them: other versions of dependencies may have been installed.
  await bundlePrograms(() => true)
  const { buildStudio } = await import('../apps/studio/build/build.ts')
  await buildStudio()
} else process.stdout.write('programs and studio are not built: vite is not installed\n')
