// Runs plans in JMeter's own engine, one after the other, in one virtual machine: bench/jmeter/corpus.py calls it.
//
//   java -cp 'JMETER/lib/*:JMETER/lib/ext/*:JMETER/bin/ApacheJMeter.jar' Corpus.java JMETER PORT PLAN.jmx…
//
// Beside each plan it writes PLAN.jtl, with the label, the code, and whether each sample passed. It names the plan to the server by
// a request for /plan/NAME where each begins.
import java.io.File;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.apache.jmeter.JMeter;
import org.apache.jmeter.control.ReplaceableController;
import org.apache.jmeter.engine.StandardJMeterEngine;
import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.samplers.SampleListener;
import org.apache.jmeter.gui.tree.JMeterTreeModel;
import org.apache.jmeter.gui.tree.JMeterTreeNode;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.save.SaveService;
import org.apache.jmeter.services.FileServer;
import org.apache.jmeter.testelement.AbstractTestElement;
import org.apache.jmeter.util.JMeterUtils;
import org.apache.jorphan.collections.HashTree;
import org.apache.jorphan.collections.SearchByClass;

public class Corpus {
    public static class Log extends AbstractTestElement implements SampleListener, org.apache.jmeter.engine.util.NoThreadClone {
        static PrintWriter out;
        public void sampleOccurred(SampleEvent event) { row(event.getResult()); }
        public void sampleStarted(SampleEvent event) { }
        public void sampleStopped(SampleEvent event) { }
        static synchronized void row(SampleResult one) {
            if (one == null) return;
            out.println(one.getSampleLabel() + "\t" + one.getResponseCode() + "\t" + one.isSuccessful());
            for (SampleResult part : one.getSubResults()) row(part);
        }
    }

    public static void main(String[] given) throws Exception {
        JMeterUtils.setJMeterHome(given[0]);
        JMeterUtils.loadJMeterProperties(given[0] + "/bin/jmeter.properties");
        JMeterUtils.initLocale();
        JMeterUtils.setLocale(Locale.ENGLISH);
        JMeterUtils.setProperty("port", given[1]);
        SaveService.loadProperties();
        for (int at = 2; at < given.length; at++) {
            File plan = new File(given[at]);
            URI.create("http://127.0.0.1:" + given[1] + "/plan/" + plan.getName()).toURL().openStream().close();
            FileServer.getFileServer().setBaseForScript(plan);
            Log.out = new PrintWriter(given[at].replace(".jmx", ".jtl"), StandardCharsets.UTF_8);
            try {
                HashTree tree = SaveService.loadTree(plan);
                // As JMeter does without a window.
                JMeterTreeModel model = new JMeterTreeModel(new Object());
                JMeterTreeNode root = (JMeterTreeNode) model.getRoot();
                model.addSubTree(tree, root);
                SearchByClass<ReplaceableController> parts = new SearchByClass<>(ReplaceableController.class);
                tree.traverse(parts);
                for (ReplaceableController part : parts.getSearchResults()) {
                    part.resolveReplacementSubTree(root);
                }
                tree = JMeter.convertSubTree(tree, true);
                tree.add(tree.getArray()[0], new Log());
                StandardJMeterEngine engine = new StandardJMeterEngine();
                engine.configure(tree);
                engine.run();
            } catch (Throwable error) {
                Log.out.println("failed: " + error);
            }
            Log.out.close();
        }
        System.exit(0);
    }
}
