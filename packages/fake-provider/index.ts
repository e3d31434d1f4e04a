export { type FakeProvider, type RecordedRequest, startFakeProvider } from './fake-provider.ts'
