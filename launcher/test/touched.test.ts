import { expect, test } from 'vitest';
import { touchedFiles } from '../touched.ts';

const own = (...products: string[]) => ({ products, services: [] });

test('what a product touches outside its own folders is listed, in order', () => {
  const changed = [
    'services/money-out/src/rpc.ts',
    'services/money-out/src/ewallet-topup/ewallet-topup.ts',
    'services/money-out/src/ewallet-topup/rpc/top-up.ts',
    'services/edge/src/routes/ewallet-topup/create.ts',
    'services/edge/src/routes/index.ts',
    'services/simulator/src/ewallet-topup/topup.ts',
    'packages/present/src/ewallet-topup.ts',
    'packages/present/src/webhook.ts',
    'proto/gerbang/money_out/v1/ewallet_topup.proto',
    'launcher/services.ts',
  ];
  expect(touchedFiles(changed, own('ewallet-topup'))).toEqual([
    'launcher/services.ts',
    'packages/present/src/webhook.ts',
    'services/edge/src/routes/index.ts',
    'services/money-out/src/rpc.ts',
  ]);
});

test('a name that only begins alike is another product’s', () => {
  const file = 'services/money-out/src/ewallet-topup-limits/store.ts';
  expect(touchedFiles([file], own('ewallet-topup'))).toEqual([file]);
});

test('a folder in the plural is the product’s too', () => {
  expect(touchedFiles(['services/edge/src/routes/ewallet-topups/create.ts'], own('ewallet-topup'))).toEqual([]);
});

test('a name that no folder can have is refused', () => {
  expect(() => touchedFiles([], own('../edge'))).toThrow('../edge is no name of a folder');
});

test('what a service touches outside its own folders is listed', () => {
  const changed = [
    'services/direct-debit/src/service.ts',
    'services/direct-debit/package.json',
    'proto/gerbang/direct_debit/v1/direct_debit.proto',
    'launcher/services.ts',
    'services/edge/src/clients.ts',
  ];
  const touched = touchedFiles(changed, { products: [], services: ['direct-debit'] });
  expect(touched).toEqual(['launcher/services.ts', 'services/edge/src/clients.ts']);
});

test('a service and its products are not counted together', () => {
  const changed = ['services/biller/src/main.ts', 'services/edge/src/routes/prepaid/buy.ts', 'services/edge/src/clients.ts'];
  expect(touchedFiles(changed, { products: ['prepaid'], services: ['biller'] })).toEqual(['services/edge/src/clients.ts']);
});

test.each([
  'docs/webhooks.md',
  'services/edge/README.md',
  'pnpm-lock.yaml',
  'packages/proto/src/gerbang/money_out/v1/money_out_pb.js',
  'services/edge/test/rails.test.ts',
  'services/edge/src/http/fields.test.ts',
  'test/e2e/disbursement.test.ts',
])('%s is not counted', (file) => {
  expect(touchedFiles([file], own('disbursement'))).toEqual([]);
});
