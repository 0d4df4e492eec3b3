const b='http://localhost:3911';
for(let i=0;i<2000;i+=16)await Promise.all(Array.from({length:16},(_,k)=>fetch(b+'/api/sprints/1/stories',{method:'POST',headers:{'content-type':'application/json'},body:JSON.stringify({title:'Story '+(i+k)+' of the team',description:'x'.repeat(300),points:3,labels:['a']})}).then(r=>r.text())));
const t=[];for(let i=0;i<25;i++){const s=performance.now();const r=await fetch(b+'/api/sprints/1/complete',{method:'POST',headers:{'content-type':'application/json'},body:JSON.stringify({unfinished:'next',dry_run:true})});await r.text();t.push(performance.now()-s);if(i==0)console.log(r.status)}
console.log(t.map(x=>x.toFixed(0)).join(' '));
