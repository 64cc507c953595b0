// A child that runs until it is killed: it ignores that its parent has ended.
setInterval(() => undefined, 1000);
process.send({ kind: 'ready' });
