export { type FakeProvider, startFakeProvider } from './fake-provider.ts'
